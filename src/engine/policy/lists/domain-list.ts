// A list of domains that rules name: an entry means the domain and all below it.
import { createHashKey, hashSuffixes } from './name-hash.ts'
import type { NameTable } from './name-table.ts'

export const LIST_FORMATS = ['auto', 'names', 'hosts'] as const
export type ListFormat = (typeof LIST_FORMATS)[number]

/** A list as the policy names it. */
export interface ListSource {
  readonly name: string
  /** Absolute. */
  readonly path: string
  readonly format: ListFormat
  /** Where the policy names its file, for problems: `policy.toml:12: lists[2].path`. */
  readonly place: string
}

/** A list whose file has been read. */
export interface DomainList extends ListSource {
  readonly table: NameTable
  /** SHA-256 of the file's content. */
  readonly digest: string
}

/** The entry of a list that covers a host. */
export interface ListEntry {
  readonly list: string
  readonly entry: string
}

/** One key for all lists of the process, so that a host is hashed once per decision. */
export const LIST_KEY = createHashKey()

const nameBytes = new Uint8Array(256)
const hashes = new Int32Array(2 * nameBytes.length)

/** The hashes of a host's suffixes; valid until the next call. */
export interface SuffixHashes {
  /** Pairs of words, those of the shortest suffix first. */
  readonly words: Int32Array
  readonly count: number
}

/** @param suffixes of a canonical host, shortest first: the host alone where it is an address */
export function hashHost(suffixes: readonly string[]): SuffixHashes {
  const host = suffixes.at(-1) ?? ''
  // The URL parser does not limit a host's length; no list has a name of more than 253 characters.
  const length = Math.min(host.length, nameBytes.length)
  const start = host.length - length
  for (let at = 0; at < length; at++) nameBytes[at] = host.charCodeAt(start + at)
  const count = hashSuffixes(LIST_KEY, nameBytes, 0, length, hashes, suffixes.length === 1)
  return { words: hashes, count }
}

/**
 * The most specific entry of a list that covers the host.
 * @throws {Error} where the list has been replaced
 */
export function findEntry(
  { table }: Pick<DomainList, 'table'>,
  suffixes: readonly string[],
  { words, count }: SuffixHashes,
): string | undefined {
  // An address is one suffix, but its entry counts as four labels.
  for (let depth = Math.min(count, table.deepest) - 1; depth >= 0; depth--) {
    if (table.has(words[2 * depth] as number, words[2 * depth + 1] as number)) return suffixes[depth]
  }
  return undefined
}
