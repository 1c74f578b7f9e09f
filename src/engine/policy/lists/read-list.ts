// Reads a list's file into a table of hashes, chunk by chunk: the file is never in memory as a whole.
import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { shown } from '../../../config/shown.ts'
import { fingerprintOf } from '../file-fingerprint.ts'
import type { ListFormat } from './domain-list.ts'
import { createLineReader, MAXIMUM_LINE_BYTES } from './line-reader.ts'
import { type AddName, readLine } from './list-line.ts'
import { type HashKey, hashSuffixes } from './name-hash.ts'
import { buildTable, type TableBuffers } from './name-table.ts'

export interface ReadList {
  readonly table: TableBuffers
  /** SHA-256 of the file, base64url. */
  readonly digest: string
  /** The file's state when it was opened. */
  readonly fingerprint: string
  /** Whether the file changed while it was read. */
  readonly changed: boolean
  /** The number of lines that are not well-formed, and the first ten: `line 7: "<html>"`. */
  readonly invalid: number
  readonly firstInvalid: readonly string[]
}

/** By how much the table grows. */
const GROWTH_BYTES = 1024 * 1024
const MAXIMUM_FILE_BYTES = 1024 * 1024 * 1024
const NAMED_LINES = 10

/** @throws the system's error, with its `code`; {RangeError} with what is wrong, for anything but a file of at most 1 GiB */
export function readList(path: string, format: ListFormat, key: HashKey): ReadList {
  // Opening a named pipe would wait for a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return readOpenList(file, format, key)
  } finally {
    closeSync(file)
  }
}

function readOpenList(file: number, format: ListFormat, key: HashKey): ReadList {
  const before = fstatSync(file, { bigint: true })
  if (!before.isFile()) throw new RangeError('it is not a regular file')
  const size = Number(before.size)
  if (size > MAXIMUM_FILE_BYTES) throw new RangeError('it is larger than 1 GiB')
  // A name and its line end have at least two bytes. Only what is used needs memory.
  const hashes = new ArrayBuffer(0, { maxByteLength: 8 * (Math.ceil(size / 2) + 1) })
  const words = new Uint32Array(hashes)
  const pair = new Uint32Array(2)
  let names = 0
  let deepest = 1
  let room = 0
  const grow = () => {
    hashes.resize(Math.min(hashes.maxByteLength, hashes.byteLength + GROWTH_BYTES))
    return hashes.byteLength / 8
  }
  const add: AddName = (name, from, to, labels) => {
    hashSuffixes(key, name, from, to, pair, true)
    if (names === room) {
      room = grow()
      // Only where the file grew.
      if (names === room) return
    }
    words[2 * names] = pair[0] as number
    words[2 * names + 1] = pair[1] as number
    names++
    if (labels > deepest) deepest = labels
  }
  let invalid = 0
  const firstInvalid: string[] = []
  const lines = createLineReader((bytes, start, end, number) => {
    if (end - start < MAXIMUM_LINE_BYTES && readLine(bytes, start, end, format, add)) return
    invalid++
    if (firstInvalid.length === NAMED_LINES) return
    firstInvalid.push(`line ${number}: ${shown(bytes.toString('utf8', start, Math.min(end, start + 400)))}`)
  })
  const digest = createHash('sha256')
  let length = 0
  for (;;) {
    const chunk = lines.space()
    const read = readSync(file, chunk)
    if (read === 0) break
    length += read
    digest.update(chunk.subarray(0, read))
    lines.advance(read)
  }
  lines.finish()
  const after = fstatSync(file, { bigint: true })
  hashes.resize(8 * names)
  const table = buildTable(words, deepest)
  // Frees its memory before the table is handed over.
  hashes.resize(0)
  return {
    table,
    digest: digest.digest('base64url'),
    fingerprint: fingerprintOf(before),
    changed: length !== size || fingerprintOf(before) !== fingerprintOf(after),
    invalid,
    firstInvalid,
  }
}
