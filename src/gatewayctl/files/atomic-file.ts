// Files that are replaced atomically: a concurrent reader, and a kill at any moment, find the old or the new one, complete.
import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { chmod, link, lstat, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Failure } from '../failure.ts'

/** The content; undefined if the file is missing. @throws {Failure} */
export async function readIfExists(path: string): Promise<Buffer | undefined> {
  return await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw fileFailure(path, 'read', error)
  })
}

/**
 * An existing file keeps its permissions.
 * @param given may be a link that `replacedPath` follows
 * @param newOwner by default, an existing file keeps its owner
 * @throws {Failure}
 */
export async function writeAtomically(
  given: string,
  bytes: string | Uint8Array,
  newMode: number,
  newOwner?: Pick<Stats, 'uid' | 'gid'>,
): Promise<void> {
  try {
    const path = await replacedPath(given)
    const found = await lstat(path).catch(() => undefined)
    const existing = found?.isFile() ? found : undefined
    const owner = newOwner ?? existing
    const unfinished = join(dirname(path), `.${basename(path)}.unfinished`)
    await rm(unfinished, { force: true })
    const file = await open(unfinished, 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      if (owner !== undefined) await file.chown(owner.uid, owner.gid)
      await file.chmod((existing?.mode ?? newMode) & 0o777)
      await file.sync()
    } catch (error) {
      await rm(unfinished, { force: true })
      throw error
    } finally {
      await file.close()
    }
    await rename(unfinished, path)
    await syncFolder(dirname(path))
  } catch (error) {
    throw fileFailure(given, 'written', error as NodeJS.ErrnoException)
  }
}

/**
 * The file that is replaced: the target of a link. Root follows none in a folder where another user may have placed it: it
 * could lead to any file.
 * @throws {Error} with what is wrong
 */
export async function replacedPath(given: string): Promise<string> {
  const folder = await stat(dirname(given))
  const isOfRootAlone = folder.uid === 0 && (folder.mode & 0o022) === 0
  if (isOfRootAlone || process.getuid?.() !== 0) return await realpath(given).catch(() => given)
  const found = await lstat(given).catch(() => undefined)
  if (found === undefined || found.isFile()) return given
  throw new Error('it is not a regular file, and not only root can write in its folder: remove it')
}

/** Gives a file a second name. @returns false, and does nothing, if that name is in use. @throws {Failure} */
export async function linkNew(path: string, second: string): Promise<boolean> {
  try {
    await link(path, second)
    await syncFolder(dirname(second))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw fileFailure(path, 'kept', error as NodeJS.ErrnoException)
  }
}

/** Renames a file over another, which may be a link that `replacedPath` follows. Needs no space. @throws {Failure} */
export async function renameOver(from: string, to: string): Promise<void> {
  try {
    const path = await replacedPath(to)
    await rename(from, path)
    await syncFolder(dirname(path))
  } catch (error) {
    throw fileFailure(to, 'written', error as NodeJS.ErrnoException)
  }
}

/** Ignores the umask. An existing folder is left unchanged. @throws {Failure} */
export async function createFolder(path: string, mode: number): Promise<void> {
  // Node's `recursive` reports ENOENT for a read-only file system.
  if (await isFolder(path)) return
  try {
    await mkdir(path)
    await chmod(path, mode)
    await syncFolder(dirname(path))
  } catch (error) {
    const isConcurrent = (error as NodeJS.ErrnoException).code === 'EEXIST' && (await isFolder(path))
    if (!isConcurrent) throw fileFailure(path, 'created', error as NodeJS.ErrnoException)
  }
}

const isFolder = async (path: string) => (await stat(path).catch(() => undefined))?.isDirectory() === true

export async function removeFile(given: string): Promise<void> {
  try {
    await rm(given, { force: true })
    await syncFolder(dirname(given))
  } catch (error) {
    throw fileFailure(given, 'removed', error as NodeJS.ErrnoException)
  }
}

export const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'the disk quota is used up',
  ENOSPC: 'the disk is full',
  EPERM: 'the system does not permit it',
  EROFS: 'the file system is read-only',
}

export function fileFailure(path: string, done: string, error: NodeJS.ErrnoException): Failure {
  return new Failure(`${path} cannot be ${done}: ${REASONS[error.code ?? ''] ?? error.message}`)
}

/** Makes renames and new names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
