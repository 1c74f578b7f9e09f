// Atomic writes and renames: a reader, or a kill at any moment, finds either the old file or the new one, complete.
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** @param mode permission bits, regardless of the umask */
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

/** Within one folder; replaces a file that has the new name. */
export async function moveFile(from: string, to: string): Promise<void> {
  await rename(from, to)
  const folder = await open(dirname(to))
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
