// The entries of a list: one table with its names, and a second one with everything else, that most lists do not have. In it, the
// hashes of each kind of entry differ from those of the others by a constant.
import { NameTable, type TableBuffers } from './name-table.ts'

/** What a worker thread hands over. */
export interface ListBuffers {
  /** Of the names. */
  readonly table: TableBuffers
  readonly further: FurtherBuffers | undefined
}

export interface FurtherBuffers {
  readonly table: TableBuffers
  /** The number of lines of each kind. */
  readonly urls: number
  readonly exceptions: number
  readonly networks: number
  /** The lengths of the networks' prefixes. */
  readonly ipv4Bits: readonly number[]
  readonly ipv6Bits: readonly number[]
}

/** The kinds of entries, each with its constant. */
export const KIND = {
  /** A host of which the list has a path. */
  urlHost: 0x1c69b3f7,
  /** A path in small letters that servers read in one way. */
  path: 0x2d4b8e15,
  /** Any other one, in each way in which servers may read it: without case, with it, and as it was written. */
  foldedPath: 0x3fa1d2c9,
  exactPath: 0x48e7095b,
  sentPath: 0x5a3c61d3,
  /** See `ListEntries`. */
  except: 0x67f29a81,
  exceptItself: 0x7b0d4e3d,
  exceptBelow: 0x0e95c7a6,
  network: 0x13d86b2e,
} as const

export type Kind = (typeof KIND)[keyof typeof KIND]

export class ListTable {
  readonly names: NameTable
  readonly further: NameTable | undefined
  readonly counts: Omit<FurtherBuffers, 'table'>

  constructor({ table, further }: ListBuffers) {
    this.names = new NameTable(table)
    this.further = further && new NameTable(further.table)
    this.counts = further ?? { urls: 0, exceptions: 0, networks: 0, ipv4Bits: [], ipv6Bits: [] }
  }

  /** The number of names, networks and URLs. */
  get size(): number {
    return this.names.size + this.counts.networks + this.counts.urls
  }

  /** The number of hashes, for its memory. */
  get hashes(): number {
    return this.names.size + (this.further?.size ?? 0)
  }

  /** @throws {Error} after `free` */
  has(kind: Kind, low: number, high: number): boolean {
    return this.further?.has(low ^ kind, high) ?? false
  }

  /** Returns the memory to the system. */
  free(): void {
    this.names.free()
    this.further?.free()
  }
}

/** Of a list without content. */
export const NO_ENTRIES = new ListTable({
  table: { hashes: new ArrayBuffer(0), index: new Int32Array(3).buffer, deepest: 1 },
  further: undefined,
})

/** The number of distinct hashes in a table. */
export function hashesIn({ hashes }: TableBuffers): number {
  return hashes.byteLength / 8
}
