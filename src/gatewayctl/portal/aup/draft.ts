// The copy of the text for the editor. It has its own folder, which also gets the editor's temporary files.
import { mkdtemp, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Installation } from '../../deployment/installation.ts'
import { workFolder } from '../../deployment/runtime.ts'
import { fileFailure, writeAtomically } from '../../files/atomic-file.ts'

/** @returns the path. @throws {Failure} */
export async function openDraft(installation: Installation, name: string, text: Uint8Array): Promise<string> {
  const parent = await workFolder(installation)
  const folder = await mkdtemp(join(parent, 'draft-')).catch((error: NodeJS.ErrnoException) => {
    throw fileFailure(parent, 'written', error)
  })
  const path = join(folder, name)
  try {
    await writeAtomically(path, text, 0o600)
    return path
  } catch (error) {
    await removeDraft(path)
    throw error
  }
}

/** Also removes the folder of all drafts when it is empty. */
export async function removeDraft(path: string): Promise<void> {
  const folder = dirname(path)
  await rm(folder, { recursive: true, force: true })
  await rmdir(dirname(folder)).catch(() => undefined)
}
