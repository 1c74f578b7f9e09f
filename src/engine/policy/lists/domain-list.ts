// A list of domains that rules name: an entry means the domain and all below it.
import { isAddress } from '../../../network/host.ts'
import type { UrlPath } from '../../../network/url-path.ts'
import { KIND, type ListTable } from './list-table.ts'
import { createHashKey, hashSuffixes } from './name-hash.ts'
import { findNetwork } from './networks.ts'
import { findPath } from './url-paths.ts'

export const LIST_FORMATS = ['auto', 'names', 'hosts', 'urls'] as const
export type ListFormat = (typeof LIST_FORMATS)[number]

/** A list as the policy names it. */
export interface ListSource {
  readonly name: string
  /** Absolute: its file, or the archive that it is a member of. */
  readonly path: string
  /** Absolute: a second file, with URLs. */
  readonly urls?: string | undefined
  /** A file of the archive, or a folder in it with files named `domains` and `urls`. */
  readonly member?: string | undefined
  readonly format: ListFormat
  /** Whether a start succeeds without it: then rules by it do not match until it comes. */
  readonly optional: boolean
  /** Where the policy names its file, for problems: `policy.toml:12: lists[2].path`. */
  readonly place: string
}

/** What is read for it. */
export type SourceFiles = Pick<ListSource, 'path' | 'urls' | 'member' | 'format'>

/** A list with what is in force for it. */
export interface DomainList extends ListSource {
  readonly table: ListTable
  /** SHA-256 of what was read; of two files, of their digests. */
  readonly digest: string
  /** SHA-256 of each of its files, as `filesOf` has them: the name of its copy. */
  readonly fileDigests: readonly string[]
  /** Undefined where the content of its file is in force. */
  readonly fallback?: ListFallback | undefined
}

/** What is in force for a list whose file may not come into force. */
export interface ListFallback {
  /**
   * `kept`: earlier content of its file. `other`: that of another file, which a list of this name had before; it stops
   * requests, and allows none. `missing`: nothing.
   */
  readonly kind: 'kept' | 'other' | 'missing'
  /** When that content came into force, or since when there is none, in milliseconds since the epoch. */
  readonly since: number
}

/** A list of the same name but another source is another list. */
export function sourceOf({ path, urls, member, format }: SourceFiles): string {
  return JSON.stringify([format, path, urls, member])
}

/** The files that it is read from. */
export function filesOf({
  path,
  urls,
}: Pick<ListSource, 'path' | 'urls'>): readonly [path: string, ...others: string[]] {
  return urls === undefined ? [path] : [path, urls]
}

/** The entry of a list that covers a request. */
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
 * The most specific name of a list that covers the host, or a network that does.
 * @throws {Error} where the list has been replaced
 */
export function findEntry(
  { table }: Pick<DomainList, 'table'>,
  suffixes: readonly string[],
  hashed: SuffixHashes,
): string | undefined {
  const { names } = table
  const { words, count } = hashed
  if (table.counts.exceptions > 0) return findUnlessExcepted(table, suffixes, hashed)
  // An address is one suffix, but its entry counts as four labels.
  for (let depth = Math.min(count, names.deepest) - 1; depth >= 0; depth--) {
    if (names.has(words[2 * depth] as number, words[2 * depth + 1] as number)) return suffixes[depth]
  }
  return networkOf(table, suffixes)
}

function findUnlessExcepted(
  table: ListTable,
  suffixes: readonly string[],
  { words, count }: SuffixHashes,
): string | undefined {
  if (isExcepted(table, { words, count })) return undefined
  for (let depth = count - 1; depth >= 0; depth--) {
    const [low, high] = [words[2 * depth] as number, words[2 * depth + 1] as number]
    if (table.has(depth === count - 1 ? KIND.exceptItself : KIND.exceptBelow, low, high)) return undefined
    if (table.names.has(low, high)) return suffixes[depth]
  }
  return networkOf(table, suffixes)
}

/** Whether an exception takes the host off the list, whatever else the list has. */
function isExcepted(table: ListTable, { words, count }: SuffixHashes): boolean {
  for (let depth = 0; depth < count; depth++) {
    if (table.has(KIND.except, words[2 * depth] as number, words[2 * depth + 1] as number)) return true
  }
  return false
}

function networkOf(table: ListTable, suffixes: readonly string[]): string | undefined {
  const [host = ''] = suffixes
  const isAsked = table.counts.networks > 0 && suffixes.length === 1 && isAddress(host)
  return isAsked ? findNetwork(table, LIST_KEY, host) : undefined
}

/**
 * The URL of a list that covers the request; `'ambiguous'` if that depends on an ambiguous path.
 * @param path called only where the list has a path of the host or one above it
 * @param strict whether every reading of the path has to be covered
 */
export function findUrl(
  { table }: Pick<DomainList, 'table'>,
  suffixes: readonly string[],
  hashed: SuffixHashes,
  path: () => UrlPath,
  strict: boolean,
): { readonly url: string } | 'ambiguous' | undefined {
  let isAmbiguous = false
  for (const depth of urlDepths(table, hashed)) {
    const { words } = hashed
    const found = findPath(table, [words[2 * depth] as number, words[2 * depth + 1] as number], path(), strict)
    if (found === 'ambiguous') isAmbiguous = true
    else if (found !== undefined) return { url: `${suffixes[depth]}${found.path}` }
  }
  return isAmbiguous ? 'ambiguous' : undefined
}

/** The most specific host of the list's URLs that covers this one. */
export function findUrlHost(
  { table }: Pick<DomainList, 'table'>,
  suffixes: readonly string[],
  hashed: SuffixHashes,
): string | undefined {
  const [depth] = urlDepths(table, hashed)
  return depth === undefined ? undefined : suffixes[depth]
}

const NONE: readonly number[] = []

/** Of the suffixes of which the list has a path, the longest first. */
function urlDepths(table: ListTable, hashed: SuffixHashes): readonly number[] {
  if (table.counts.urls === 0 || table.further === undefined) return NONE
  const { words, count } = hashed
  let depths: number[] | undefined
  for (let depth = Math.min(count, table.further.deepest) - 1; depth >= 0; depth--) {
    if (!table.has(KIND.urlHost, words[2 * depth] as number, words[2 * depth + 1] as number)) continue
    depths ??= []
    depths.push(depth)
  }
  return depths === undefined || (table.counts.exceptions > 0 && isExcepted(table, hashed)) ? NONE : depths
}
