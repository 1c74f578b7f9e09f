// The paths of a list's URLs, as hashes under that of their host: so one lookup finds a path among millions. Paths are prefixes at
// segment boundaries, and compared with every way in which servers may read a request's, as those of `match` are.
import { parsePathPrefix, type Readings, type UrlPath } from '../../../network/url-path.ts'
import { SLASH } from './formats/name.ts'
import { KIND, type Kind, type ListTable } from './list-table.ts'
import { type HashKey, hashSuffixes } from './name-hash.ts'

type Add = (low: number, high: number) => void

/** A path of more bytes is no entry; of a request's path, no more are compared. */
const MAXIMUM_PATH_BYTES = 2048
/** Of a path that needs more than a copy: reading it in every way takes a while. */
const MAXIMUM_READ_BYTES = 512
const MAXIMUM_ENTRY_READINGS = 16

/** 1 for what may be in a path that has one reading, in small letters. */
const PLAIN = new Uint8Array(256)
for (const character of "abcdefghijklmnopqrstuvwxyz0123456789-_.~/!$&'()+,=:@") PLAIN[character.charCodeAt(0)] = 1
const DOT = 0x2e

/** From the last byte to the first: then hashes of suffixes are those of prefixes. */
const reversed = new Uint8Array(MAXIMUM_PATH_BYTES)
const pair = new Int32Array(2)
const prefixes = new Int32Array(2 * (MAXIMUM_PATH_BYTES + 1))

/**
 * Adds the path from `start`, its first slash, to before `end`, where no slash precedes.
 * @param host the host's hash
 * @returns whether it can be compared
 */
export function addPath(host: HashKey, bytes: Buffer, start: number, end: number, add: Add): boolean {
  if (end - start > MAXIMUM_PATH_BYTES) return false
  if (isPlain(bytes, start, end)) {
    const length = end - start - 1
    for (let index = 0; index < length; index++) reversed[length - 1 - index] = bytes[start + 1 + index] as number
    hashSuffixes(host, reversed, 0, length, pair, true)
    add((pair[0] as number) ^ KIND.path, pair[1] as number)
    return true
  }
  if (end - start > MAXIMUM_READ_BYTES) return false
  const text = bytes.toString('utf8', start, end)
  const single = text.replace(/^\/+/, '/')
  const readings = parsePathPrefix(single)
  if (readings === undefined || readings.all.length > MAXIMUM_ENTRY_READINGS) return false
  if (readings.all.includes('')) return false
  const addAs = (kind: Kind, path: string, encoding: BufferEncoding) => {
    const [low, high] = hashWhole(host, Buffer.from(path, encoding))
    add(low ^ kind, high)
  }
  for (const path of readings.folded) addAs(KIND.foldedPath, path, encodingOf(path))
  // Respelled, it stops as much, but allows nothing.
  if (single !== text) return true
  for (const path of readings.all) addAs(KIND.exactPath, path, 'latin1')
  addAs(KIND.sentPath, readings.all[0], 'latin1')
  return true
}

function isPlain(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (PLAIN[byte] === 0) return false
    // An empty segment, or one that may be `.` or `..`.
    if (byte === SLASH && (bytes[at + 1] === SLASH || bytes[at + 1] === DOT)) return false
  }
  return true
}

/**
 * The entry on this host that covers the path; `'ambiguous'` if that cannot be said.
 * @param host the host's hash
 * @param strict whether all readings of the path have to be covered, in the same case; otherwise one suffices
 */
export function findPath(
  table: ListTable,
  host: HashKey,
  path: UrlPath,
  strict: boolean,
): { readonly path: string } | 'ambiguous' | undefined {
  if (path === 'ambiguous') return path
  if (strict) return findExact(table, host, path)
  for (const reading of path.folded) {
    const found = findPrefix(table, host, reading, encodingOf(reading), KIND.foldedPath)
    if (found !== undefined) return { path: found }
  }
  return undefined
}

function findExact(table: ListTable, host: HashKey, { all }: Readings): { readonly path: string } | undefined {
  const sent = findPrefix(table, host, all[0], 'latin1', KIND.sentPath)
  if (sent === undefined) return undefined
  const isCovered = all.every((one) => findPrefix(table, host, one, 'latin1', KIND.exactPath) !== undefined)
  return isCovered ? { path: sent } : undefined
}

/** The shortest prefix of the reading that is an entry of this kind, or a plain one. */
function findPrefix(
  table: ListTable,
  host: HashKey,
  reading: string,
  encoding: BufferEncoding,
  kind: Kind,
): string | undefined {
  const count = hashPrefixes(host, Buffer.from(reading, encoding))
  for (let index = 0; index < count; index++) {
    const [low, high] = [prefixes[2 * index] as number, prefixes[2 * index + 1] as number]
    if (table.has(KIND.path, low, high) || table.has(kind, low, high)) {
      return reading.split('/', index + 2).join('/')
    }
  }
  return undefined
}

/** Hashes the path up to each slash, and as a whole. @returns the number of hashes */
function hashPrefixes(host: HashKey, path: Buffer): number {
  const end = path.length <= MAXIMUM_PATH_BYTES ? path.length : path.lastIndexOf(SLASH, MAXIMUM_PATH_BYTES)
  const length = end - 1
  if (length <= 0) return 0
  for (let index = 0; index < length; index++) reversed[length - 1 - index] = path[index + 1] as number
  return hashSuffixes(host, reversed, 0, length, prefixes, false, SLASH)
}

function hashWhole(host: HashKey, path: Buffer): HashKey {
  const bytes = path.subarray(1).reverse()
  hashSuffixes(host, bytes, 0, bytes.length, pair, true)
  return [pair[0] as number, pair[1] as number]
}

/** Of a folded reading: decoded bytes are characters only where the reading is in ASCII. */
function encodingOf(reading: string): BufferEncoding {
  return /^[\0-\x7f]*$/.test(reading) ? 'latin1' : 'utf8'
}
