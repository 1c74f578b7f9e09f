// Collects the entries of a list, from one file or several.
import type { ListFormat } from './domain-list.ts'
import type { ListEntries } from './formats/entries.ts'
import { createListReader, joinMalformed, type ListReader, type MalformedLines } from './list-reader.ts'
import { hashesIn, KIND, type Kind, type ListBuffers } from './list-table.ts'
import { createNameCollector } from './name-collector.ts'
import { type HashKey, hashSuffixes } from './name-hash.ts'
import { NameTable, type TableBuffers } from './name-table.ts'
import { createNetworkCollector } from './networks.ts'
import { addPath } from './url-paths.ts'

/** Of a list with more names than it may have. */
export interface TooManyNames {
  readonly kind: 'too many names'
  /** About how many it has: it was not read to its end. */
  readonly names: number
}

export interface ListCollector {
  /**
   * Reads a file of the list.
   * @param label for the numbers of its lines
   */
  read(format: ListFormat, label: string): ListReader
  /** Whether the list has more names than it may have: the rest need not be read. */
  readonly hasTooMany: boolean
  /** How much of the last file has been read, for an estimate: at most 1. */
  handled(part: number): void
  finish(): ({ readonly kind: 'list' } & ListBuffers & MalformedLines) | TooManyNames
}

/** At most: a URL with percent-encoded bytes in its path may have thirty readings. */
const HASHES_PER_BYTE = 6

/**
 * @param maximum the most hashes that its tables may have
 * @param size of all its files, in bytes
 */
export function createListCollector(key: HashKey, maximum: number, size: number): ListCollector {
  // A name and its line end have at least two bytes.
  const names = createNameCollector(maximum, Math.ceil(size / 2) + 1)
  let further: ReturnType<typeof createNameCollector> | undefined
  const readers: ListReader[] = []
  const pair = new Int32Array(2)
  let deepest = 1
  let deepestFurther = 1
  let urls = 0
  let exceptions = 0
  let part = 1
  /** The hash of the last URL's host: in most files, they are in order. */
  let [lastLow, lastHigh] = [0, 0]

  const addFurther = (low: number, high: number) => {
    further ??= createNameCollector(maximum, HASHES_PER_BYTE * size)
    further.add(low, high)
  }
  const networks = createNetworkCollector(key, addFurther)
  const exceptAs = (kind: Kind) => (name: Uint8Array, from: number, to: number, labels: number) => {
    hashSuffixes(key, name, from, to, pair, true)
    addFurther((pair[0] as number) ^ kind, pair[1] as number)
    if (labels > deepestFurther) deepestFurther = labels
    exceptions++
  }
  const entries: ListEntries = {
    addName(name, from, to, labels) {
      hashSuffixes(key, name, from, to, pair, true)
      names.add(pair[0] as number, pair[1] as number)
      if (labels > deepest) deepest = labels
    },
    addUrl(host, from, to, labels, path) {
      hashSuffixes(key, host, from, to, pair, true)
      const [low, high] = [pair[0] as number, pair[1] as number]
      if (!addPath([low, high], path.bytes, path.start, path.end, addFurther)) return 'skipped'
      if (low !== lastLow || high !== lastHigh) addFurther(low ^ KIND.urlHost, high)
      ;[lastLow, lastHigh] = [low, high]
      if (labels > deepestFurther) deepestFurther = labels
      urls++
      return 'read'
    },
    addNetwork: networks.add,
    except: exceptAs(KIND.except),
    exceptItself: exceptAs(KIND.exceptItself),
    exceptBelow: exceptAs(KIND.exceptBelow),
  }

  function furtherBuffers(): ListBuffers['further'] {
    if (further === undefined) return undefined
    return { table: further.toTable(deepestFurther), urls, exceptions, ...networks.found() }
  }

  return {
    read(format, label) {
      const reader = createListReader(format, entries, label)
      readers.push(reader)
      return reader
    },
    get hasTooMany() {
      return names.hasTooMany || further?.hasTooMany === true
    },
    handled(read) {
      part = read
    },
    finish() {
      if (names.hasTooMany || further?.hasTooMany) {
        const estimate = names.estimate + (further?.estimate ?? 0)
        names.free()
        further?.free()
        return { kind: 'too many names', names: Math.round(estimate / part) }
      }
      const tables = { table: names.toTable(deepest), further: furtherBuffers() }
      const hashes = hashesIn(tables.table) + (tables.further === undefined ? 0 : hashesIn(tables.further.table))
      if (hashes > maximum) {
        for (const table of buffersOf(tables)) new NameTable(table).free()
        return { kind: 'too many names', names: hashes }
      }
      const [first, ...others] = readers.map((reader) => reader.malformed())
      return { kind: 'list', ...tables, ...joinMalformed([first as MalformedLines, ...others]) }
    },
  }
}

/** Its tables. */
export function buffersOf({ table, further }: ListBuffers): readonly TableBuffers[] {
  return further === undefined ? [table] : [table, further.table]
}
