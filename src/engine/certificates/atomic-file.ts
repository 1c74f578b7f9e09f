// Writing and moving files so that a reader, and a kill at any moment, meets the old one or the new one, whole.
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** @param mode permission bits, whatever the process's umask says */
export async function writeFileAtomically(path: string, content: string, mode: number): Promise<void> {
  const unfinished = `${path}.unfinished`
  await rm(unfinished, { force: true })
  const file = await open(unfinished, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
  await moveFile(unfinished, path)
}

/** Within one folder; what was there under the new name is gone. */
export async function moveFile(from: string, to: string): Promise<void> {
  await rename(from, to)
  const folder = await open(dirname(to))
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
