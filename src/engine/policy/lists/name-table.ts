// The names of a list as 64-bit hashes, grouped and indexed by their first bits: about 9 bytes per name, and a lookup reads
// two places in memory. An open-addressing table needs more memory for an equally fast lookup; the names themselves need
// three times as much.

/** A table as a worker thread hands it over; both buffers are resizable, and transferred. */
export interface TableBuffers {
  /** Pairs of words, low word first, without duplicates; those with the same first bits together. */
  readonly hashes: ArrayBuffer
  /** Where each group begins, as a number of pairs; one more entry ends the last. */
  readonly index: ArrayBuffer
  /** The number of labels of the deepest name. */
  readonly deepest: number
}

const NAMES_PER_GROUP = 4
/** Up to this many hashes are grouped by means of a copy: half as fast again as in place. */
const COPIED = 2 ** 21
/** Of this many bits, the groups fit in the processor's cache together. */
const CACHED_BITS = 12

/**
 * Makes a table of the first hashes of a resizable buffer, in place.
 * @param words pairs, low word first; the buffer becomes that of the table
 * @param count the number of pairs
 */
export function buildTable(words: Int32Array<ArrayBuffer>, count: number, deepest: number): TableBuffers {
  const { kept, index } = keepDistinct(words, count)
  words.buffer.resize(8 * kept)
  return { hashes: words.buffer, index: index.buffer, deepest }
}

/**
 * Groups hashes by their first bits, moves one of each to the front, and indexes the groups. A group has no order: sorting
 * takes three times as long and would not make lookups faster.
 * @returns the number of distinct hashes
 */
export function keepDistinct(words: Int32Array, count: number): { kept: number; index: Int32Array<ArrayBuffer> } {
  const bits = prefixBits(count)
  // Many hashes by fewer bits first: then the second pass moves them within the cache.
  if (count > COPIED) groupByPrefix(words, count, bits - CACHED_BITS)
  const index = groupByPrefix(words, count, bits)
  const groups = index.length - 1
  let kept = 0
  for (let group = 0, at = 0; group < groups; group++) {
    const end = index[group + 1] as number
    index[group] = kept
    kept = moveDistinct(words, at, end, kept)
    at = end
  }
  index[groups] = kept
  if (kept * NAMES_PER_GROUP >= count) return { kept, index }
  // For so few names the index is too large.
  index.buffer.resize(0)
  return keepDistinct(words, kept)
}

/**
 * Moves the distinct hashes of a group to `target`. Like `moveToPlace` a separate function, because V8 may leave the loops of
 * one that is seldom called at a third of the speed.
 * @returns where they end
 */
function moveDistinct(words: Int32Array, from: number, to: number, target: number): number {
  let kept = target
  for (let at = from; at < to; at++) {
    const low = words[2 * at] as number
    const high = words[2 * at + 1] as number
    if (isAmong(words, target, kept, low, high)) continue
    words[2 * kept] = low
    words[2 * kept + 1] = high
    kept++
  }
  return kept
}

/** Moves the hashes with the same first bits together. @returns where each group begins; one more entry ends the last */
function groupByPrefix(words: Int32Array, count: number, bits: number): Int32Array<ArrayBuffer> {
  const index = allocate(2 ** bits + 1)
  for (let at = 1; at < 2 * count; at += 2) {
    const group = prefixOf(words[at] as number, bits)
    index[group] = (index[group] as number) + 1
  }
  // Now where each group ends. It moves down with every hash that is put there.
  for (let group = 1; group < index.length; group++) {
    index[group] = (index[group] as number) + (index[group - 1] as number)
  }
  if (count > COPIED) groupInPlace(words, count, bits, index)
  else groupByCopy(words, count, bits, index)
  return index
}

function groupByCopy(words: Int32Array, count: number, bits: number, index: Int32Array): void {
  const copy = allocate(2 * count)
  copy.set(words.subarray(0, 2 * count))
  for (let at = 0; at < 2 * count; at += 2) {
    const high = copy[at + 1] as number
    const group = prefixOf(high, bits)
    const place = (index[group] as number) - 1
    index[group] = place
    words[2 * place] = copy[at] as number
    words[2 * place + 1] = high
  }
  copy.buffer.resize(0)
}

function groupInPlace(words: Int32Array, count: number, bits: number, index: Int32Array): void {
  for (let at = 0; at < count; at++) moveToPlace(words, at, bits, index)
}

/** Moves the hash from here to its place, what was there to its own, and so on. */
function moveToPlace(words: Int32Array, at: number, bits: number, index: Int32Array): void {
  let high = words[2 * at + 1] as number
  let group = prefixOf(high, bits)
  // It is there.
  if (at >= (index[group] as number)) return
  let low = words[2 * at] as number
  let place: number
  do {
    place = (index[group] as number) - 1
    index[group] = place
    const nextLow = words[2 * place] as number
    const nextHigh = words[2 * place + 1] as number
    words[2 * place] = low
    words[2 * place + 1] = high
    low = nextLow
    high = nextHigh
    group = prefixOf(high, bits)
  } while (place !== at)
}

/** A resizable buffer has separate pages, which return to the system; glibc keeps the memory of a fixed one below 32 MiB. */
function allocate(words: number): Int32Array<ArrayBuffer> {
  return new Int32Array(new ArrayBuffer(4 * words, { maxByteLength: 4 * words }))
}

export class NameTable {
  readonly size: number
  readonly deepest: number
  readonly #words: Int32Array
  readonly #index: Int32Array
  readonly #bits: number

  constructor({ hashes, index, deepest }: TableBuffers) {
    this.size = hashes.byteLength / 8
    this.deepest = deepest
    this.#words = new Int32Array(hashes)
    this.#index = new Int32Array(index)
    this.#bits = Math.log2(this.#index.length - 1)
  }

  /**
   * Whether the name with this hash is in the table.
   * @throws {Error} after `free`: a policy that is no longer in force must not open anything
   */
  has(low: number, high: number): boolean {
    const prefix = prefixOf(high, this.#bits)
    const end = this.#index[prefix + 1]
    if (end === undefined) throw new Error('the list has been replaced by a reload')
    return isAmong(this.#words, this.#index[prefix] as number, end, low, high)
  }

  /** Returns the memory to the system at once; a garbage collection might be hours away. */
  free(): void {
    for (const { buffer } of [this.#words, this.#index]) (buffer as ArrayBuffer).resize(0)
  }
}

/** Whether a hash is one of the pairs from `begin` to before `end`. */
function isAmong(words: Int32Array, begin: number, end: number, low: number, high: number): boolean {
  for (let at = begin; at < end; at++) if (words[2 * at + 1] === high && words[2 * at] === low) return true
  return false
}

function prefixBits(names: number): number {
  // At least 1: a shift by 32 would be a shift by 0.
  return Math.max(1, Math.floor(Math.log2(Math.max(1, names) / NAMES_PER_GROUP)))
}

function prefixOf(high: number, bits: number): number {
  return high >>> (32 - bits)
}
