// Reads a list's files into tables of hashes, chunk by chunk: no file is ever in memory as a whole.
import { createHash, type Hash } from 'node:crypto'
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { readFault } from '../../../settings/file.ts'
import { fingerprintOf } from '../../../settings/file-fingerprint.ts'
import { readMember } from './archive/member.ts'
import { filesOf, type ListFormat, type SourceFiles } from './domain-list.ts'
import { createListCollector, type ListCollector, type TooManyNames } from './list-collector.ts'
import type { MalformedLines } from './list-reader.ts'
import type { ListBuffers } from './list-table.ts'
import type { HashKey } from './name-hash.ts'

export interface ReadList extends ListBuffers, MalformedLines {
  readonly kind: 'list'
  /** SHA-256 of what was read, base64url; of two files, of their digests. */
  readonly digest: string
  /** SHA-256 of each of its files, base64url: of the archive, not of its member. */
  readonly fileDigests: readonly string[]
  /** The state of each of its files when it was opened. */
  readonly fingerprints: readonly string[]
  /** Whether a file changed while it was read. */
  readonly changed: boolean
}

interface ReadFile {
  readonly digest: string
  readonly fingerprint: string
  readonly changed: boolean
}

export const MAXIMUM_LIST_BYTES = 1024 * 1024 * 1024

/**
 * Reads a list from one file.
 * @param maximum the most names that it may have: reading it needs little more memory than so many names do
 * @throws the system's error, with its `code`; {RangeError} with what is wrong, for anything but a file of at most 1 GiB
 */
export function readList(path: string, format: ListFormat, key: HashKey, maximum: number): ReadList | TooManyNames {
  return withFile(path, (file, { size }) => {
    const list = createListCollector(key, maximum, Number(size))
    const read = readWhole(file, format, '', list)
    return resultOf(list, [read], read.digest)
  })
}

/**
 * Reads a list from its files, or from its member of an archive.
 * @throws as `readList`
 */
export async function readSource(source: SourceFiles, key: HashKey, maximum: number): Promise<ReadList | TooManyNames> {
  const { path, urls, member, format } = source
  if (member === undefined && urls === undefined) return readList(path, format, key, maximum)
  if (member !== undefined) {
    const file = openRegular(path)
    try {
      const before = statOf(file)
      const list = createListCollector(key, maximum, MAXIMUM_LIST_BYTES)
      const [content, archive] = [createHash('sha256'), createHash('sha256')]
      await readMember(file, member, format, list, content, archive)
      return resultOf(list, [stateOf(file, before, archive)], content.digest('base64url'))
    } finally {
      closeSync(file)
    }
  }
  const size = filesOf(source).reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
  // A file that grows meanwhile is not followed.
  const list = createListCollector(key, maximum, size)
  const names = withFile(path, (file) => readWhole(file, format, '', list))
  try {
    const further = withFile(`${urls}`, (file) => readWhole(file, 'urls', 'urls: ', list))
    const digest = createHash('sha256').update(`${names.digest} ${further.digest}`).digest('base64url')
    return resultOf(list, [names, further], digest)
  } catch (error) {
    throw new RangeError(`of its file of URLs, ${urls}: ${readFault(error)}`)
  }
}

function resultOf(list: ListCollector, files: readonly ReadFile[], digest: string) {
  const result = list.finish()
  if (result.kind === 'too many names') return result
  return {
    ...result,
    digest,
    fileDigests: files.map((file) => file.digest),
    fingerprints: files.map(({ fingerprint }) => fingerprint),
    changed: files.some(({ changed }) => changed),
  }
}

function withFile<T>(path: string, read: (file: number, stats: BigIntStats) => T): T {
  const file = openRegular(path)
  try {
    return read(file, statOf(file))
  } finally {
    closeSync(file)
  }
}

/** Opening a named pipe would wait for a writer. */
function openRegular(path: string): number {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = statOf(file)
    if (!stats.isFile()) throw new RangeError('it is not a regular file')
    if (Number(stats.size) > MAXIMUM_LIST_BYTES) throw new RangeError('it is larger than 1 GiB')
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}

function readWhole(file: number, format: ListFormat, label: string, list: ListCollector): ReadFile {
  const digest = createHash('sha256')
  const before = statOf(file)
  const size = Number(before.size)
  const lines = list.read(format, label)
  let length = 0
  while (!list.hasTooMany) {
    // A byte more than it had shows that it grew; the rest is not read.
    const chunk = lines.space().subarray(0, size - length + 1)
    const read = readSync(file, chunk)
    if (read === 0) break
    length += read
    digest.update(chunk.subarray(0, read))
    lines.advance(read)
  }
  lines.finish()
  list.handled(length / size)
  const state = stateOf(file, before, digest)
  return { ...state, changed: state.changed || (length !== size && !list.hasTooMany) }
}

function stateOf(file: number, before: BigIntStats, digest: Hash): ReadFile {
  const fingerprint = fingerprintOf(before)
  return { digest: digest.digest('base64url'), fingerprint, changed: fingerprint !== fingerprintOf(statOf(file)) }
}

function statOf(file: number): BigIntStats {
  return fstatSync(file, { bigint: true })
}
