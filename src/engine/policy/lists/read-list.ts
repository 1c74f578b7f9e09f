// Reads a list's file into a table of hashes, chunk by chunk: the file is never in memory as a whole.
import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { fingerprintOf } from '../../../settings/file-fingerprint.ts'
import type { ListFormat } from './domain-list.ts'
import type { AddName } from './list-line.ts'
import { createListReader, type MalformedLines } from './list-reader.ts'
import { createNameCollector } from './name-collector.ts'
import { type HashKey, hashSuffixes } from './name-hash.ts'
import { NameTable, type TableBuffers } from './name-table.ts'

export interface ReadList extends MalformedLines {
  readonly kind: 'list'
  readonly table: TableBuffers
  /** SHA-256 of the file, base64url. */
  readonly digest: string
  /** The file's state when it was opened. */
  readonly fingerprint: string
  /** Whether the file changed while it was read. */
  readonly changed: boolean
}

/** Of a list with more names than it may have. */
export interface TooManyNames {
  readonly kind: 'too many names'
  /** About how many it has: it was not read to its end. */
  readonly names: number
}

const MAXIMUM_FILE_BYTES = 1024 * 1024 * 1024

/**
 * @param maximum the most names that it may have: reading it needs little more memory than so many names do
 * @throws the system's error, with its `code`; {RangeError} with what is wrong, for anything but a file of at most 1 GiB
 */
export function readList(path: string, format: ListFormat, key: HashKey, maximum: number): ReadList | TooManyNames {
  // Opening a named pipe would wait for a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return readOpenList(file, format, key, maximum)
  } finally {
    closeSync(file)
  }
}

function readOpenList(file: number, format: ListFormat, key: HashKey, maximum: number): ReadList | TooManyNames {
  const before = fstatSync(file, { bigint: true })
  if (!before.isFile()) throw new RangeError('it is not a regular file')
  const size = Number(before.size)
  if (size > MAXIMUM_FILE_BYTES) throw new RangeError('it is larger than 1 GiB')
  // A name and its line end have at least two bytes.
  const names = createNameCollector(maximum, Math.ceil(size / 2) + 1)
  const pair = new Int32Array(2)
  let deepest = 1
  const add: AddName = (name, from, to, labels) => {
    hashSuffixes(key, name, from, to, pair, true)
    names.add(pair[0] as number, pair[1] as number)
    if (labels > deepest) deepest = labels
  }
  const lines = createListReader(format, add)
  const digest = createHash('sha256')
  let length = 0
  while (!names.hasTooMany) {
    // A byte more than it had shows that it grew; the rest is not read.
    const chunk = lines.space().subarray(0, size - length + 1)
    const read = readSync(file, chunk)
    if (read === 0) break
    length += read
    digest.update(chunk.subarray(0, read))
    lines.advance(read)
  }
  lines.finish()
  if (names.hasTooMany) {
    names.free()
    return { kind: 'too many names', names: Math.round((names.estimate * size) / length) }
  }
  const after = fstatSync(file, { bigint: true })
  const table = names.toTable(deepest)
  const distinct = table.hashes.byteLength / 8
  if (distinct > maximum) {
    new NameTable(table).free()
    return { kind: 'too many names', names: distinct }
  }
  return {
    kind: 'list',
    table,
    digest: digest.digest('base64url'),
    fingerprint: fingerprintOf(before),
    changed: length !== size || fingerprintOf(before) !== fingerprintOf(after),
    ...lines.malformed(),
  }
}
