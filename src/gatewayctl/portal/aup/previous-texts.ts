// The texts that were replaced: the last ten of each file, next to it, each named after the time of its replacement.
import { readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileFailure, linkNew, readIfExists, removeFile, sha256 } from '../../files/atomic-file.ts'

const KEPT = 10
const TIME = /^\.(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\dZ)$/

/** The paths of the texts that `path` held before, the newest first. */
export async function previousTexts(path: string): Promise<readonly string[]> {
  const file = await target(path)
  const [folder, name] = [dirname(file), basename(file)]
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw fileFailure(folder, 'read', error)
  })
  return names
    .filter((other) => other.startsWith(name) && TIME.test(other.slice(name.length)))
    .sort()
    .reverse()
    .map((other) => join(folder, other))
}

/**
 * Gives the current text a second name, such as `aup.md.2026-11-22T14-03-11Z`; a name in use leaves it the next second. Owner
 * and permissions are those of the text.
 * @param now milliseconds since the epoch
 * @returns the second name
 */
export async function keepAsPrevious(path: string, now: number): Promise<string> {
  const file = await target(path)
  for (let second = now; ; second += 1000) {
    const time = new Date(second).toISOString().replace(/\.\d+/, '').replaceAll(':', '-')
    const kept = `${file}.${time}`
    if (await linkNew(file, kept)) return kept
  }
}

/** Removes all but the last ten. */
export async function removeOldTexts(path: string): Promise<void> {
  for (const old of (await previousTexts(path)).slice(KEPT)) await removeFile(old)
}

export async function described(path: string) {
  const bytes = (await readIfExists(path)) ?? Buffer.alloc(0)
  const [, hour, minute, second] = TIME.exec(path.slice(path.lastIndexOf('.'))) ?? []
  return { file: path, replaced_at: `${hour}:${minute}:${second}`, size: bytes.length, sha256: sha256(bytes) }
}

const target = (path: string): Promise<string> => realpath(path).catch(() => path)
