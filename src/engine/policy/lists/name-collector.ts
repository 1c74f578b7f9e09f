// Collects the hashes of a file's names: the memory depends on the number of distinct names, however often the file repeats
// them, and never holds many more than the list may have.
import { buildTable, keepDistinct, type TableBuffers } from './name-table.ts'

export interface NameCollector {
  add(low: number, high: number): void
  /** Whether more distinct names have been added than the list may have: further ones are ignored. */
  readonly hasTooMany: boolean
  /** If so, about how many distinct names have been added, with those that were ignored. */
  readonly estimate: number
  /** Ends the collection. The table may have more names than the list may have. */
  toTable(deepest: number): TableBuffers
  /** Returns the memory to the system. */
  free(): void
}

/** Most lists have fewer names: their repetitions are removed once, when the table is built. */
const FIRST_ROOM = 2 ** 21
/** By how much the buffer grows: V8 fills what is new with zeros. */
const GROWTH_BYTES = 1024 * 1024

/**
 * @param maximum the most names that the list may have
 * @param possible the most names that the file can have
 */
export function createNameCollector(maximum: number, possible: number): NameCollector {
  // More than the maximum, for repetitions: otherwise the last few names could need their removal after every line.
  const mostRoom = Math.min(possible, Math.ceil(1.25 * maximum) + 1000)
  const hashes = new ArrayBuffer(0, { maxByteLength: 8 * mostRoom })
  const words = new Int32Array(hashes)
  let count = 0
  /** How many hashes the buffer holds now, and how many it may hold before repetitions are removed. */
  let size = 0
  let room = Math.min(mostRoom, FIRST_ROOM)
  let hasTooMany = false
  let repetitions = 0
  let ignored = 0

  function removeRepetitions(): void {
    const { kept, index } = keepDistinct(words, count)
    index.buffer.resize(0)
    repetitions += count - kept
    count = kept
    hasTooMany = count > maximum
    if (hasTooMany) room = count
    else if (2 * count >= room) room = Math.min(mostRoom, 4 * room)
  }

  function grow(): void {
    if (count === room) removeRepetitions()
    hashes.resize(Math.min(8 * room, 8 * count + GROWTH_BYTES))
    size = hashes.byteLength / 8
  }

  return {
    add(low, high) {
      if (count === size) {
        if (!hasTooMany) grow()
        if (hasTooMany) {
          ignored++
          return
        }
      }
      words[2 * count] = low
      words[2 * count + 1] = high
      count++
    },
    get hasTooMany() {
      return hasTooMany
    },
    get estimate() {
      return count * (1 + ignored / (count + repetitions))
    },
    toTable: (deepest) => buildTable(words, count, deepest),
    free: () => hashes.resize(0),
  }
}
