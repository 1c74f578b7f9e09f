// Atomic writes and renames: a reader, or a kill at any moment, finds either the old file or the new one, complete.
import { chmod, constants, lchown, open, rename, rm } from 'node:fs/promises'

/** For chown: the owner stays. */
export const KEEP_OWNER = -1

// Node's permission model has no fsync: with O_SYNC, each write is on disk when it returns.
const { O_WRONLY, O_CREAT, O_EXCL, O_SYNC } = constants
/** To open a new file whose content survives a power failure. */
export const NEW_SYNCED_FILE = O_WRONLY | O_CREAT | O_EXCL | O_SYNC

/**
 * After a power failure, a reader may find the old file, but never an incomplete one.
 * @param mode permission bits, regardless of the umask
 * @param group the file's group, as a number; by default the one that the system gives it
 */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
  mode: number,
  group?: number,
): Promise<void> {
  const unfinished = `${path}.unfinished`
  await rm(unfinished, { force: true })
  const file = await open(unfinished, NEW_SYNCED_FILE, 0o600)
  try {
    // By path: the permission model has no calls for open files. Before the write, which puts them on disk, too.
    if (group !== undefined && (await file.stat()).gid !== group) await lchown(unfinished, KEEP_OWNER, group)
    await chmod(unfinished, mode)
    await file.writeFile(content)
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
}
