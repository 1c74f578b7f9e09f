// What the lines of a list add to it.
import type { AddressRange } from '../../../../network/address-range.ts'

/** Called for each name: canonical, in ASCII. */
export type AddName = (bytes: Uint8Array, start: number, end: number, labels: number) => void

/**
 * What happened to a line. A skipped one is well-formed, but about no whole host or URL; a `'rule'` is, too, if the file is one for
 * ad blockers, and otherwise malformed; `'everything'` covers every host.
 */
export type LineResult = 'read' | 'skipped' | 'rule' | 'malformed' | 'everything'

/** The span of a path in a line. */
interface PathSpan {
  readonly bytes: Buffer
  /** At its first slash. */
  readonly start: number
  readonly end: number
}

export interface ListEntries {
  /** A name with all below it, or an address. */
  readonly addName: AddName
  /** A path on a host, and on all below it. */
  addUrl(host: Uint8Array, start: number, end: number, labels: number, path: PathSpan): LineResult
  addNetwork(network: AddressRange): void
  /** Takes a name and all below it off the list, whatever else the list has. */
  readonly except: AddName
  /** Take a name, or all below it, off the list, unless a longer name is on it. */
  readonly exceptItself: AddName
  readonly exceptBelow: AddName
}
