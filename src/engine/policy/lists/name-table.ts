// The names of a list as 64-bit hashes, grouped and indexed by their first bits: about 9 bytes per name, and a lookup reads
// two places in memory. An open-addressing table needs more memory for an equally fast lookup; the names themselves need
// three times as much.

/** A table as a worker thread hands it over; both buffers are transferred. */
export interface TableBuffers {
  /** Pairs of words, low word first, without duplicates; those with the same first bits together. */
  readonly hashes: ArrayBuffer
  /** Where each group begins, as a number of pairs; one more entry ends the last. */
  readonly index: ArrayBuffer
  /** The number of labels of the deepest name. */
  readonly deepest: number
}

const NAMES_PER_GROUP = 4

/**
 * Groups the hashes by their first bits, drops duplicates, and indexes the groups. A group has no order: sorting takes three
 * times as long and would not make lookups faster.
 * @param words pairs, low word first
 */
export function buildTable(words: Uint32Array, deepest: number): TableBuffers {
  const bits = prefixBits(words.length / 2)
  const groups = 2 ** bits
  // First the number of hashes in each group, then where the group begins.
  const index = allocate(groups + 1)
  for (let at = 1; at < words.length; at += 2) {
    const next = prefixOf(words[at] as number, bits) + 1
    index[next] = (index[next] as number) + 1
  }
  for (let group = 1; group <= groups; group++) {
    index[group] = (index[group] as number) + (index[group - 1] as number)
  }
  const grouped = allocate(words.length)
  for (let at = 0; at < words.length; at += 2) {
    const group = prefixOf(words[at + 1] as number, bits)
    const place = index[group] as number
    grouped[2 * place] = words[at] as number
    grouped[2 * place + 1] = words[at + 1] as number
    // After the last hash of the group: where the group ends.
    index[group] = place + 1
  }
  let kept = 0
  for (let group = 0, at = 0; group < groups; group++) {
    const end = index[group] as number
    const begin = kept
    index[group] = begin
    for (; at < end; at++) {
      const low = grouped[2 * at] as number
      const high = grouped[2 * at + 1] as number
      if (isAmong(grouped, begin, kept, low, high)) continue
      grouped[2 * kept] = low
      grouped[2 * kept + 1] = high
      kept++
    }
  }
  index[groups] = kept
  grouped.buffer.resize(8 * kept)
  return { hashes: grouped.buffer, index: index.buffer, deepest }
}

/** A resizable buffer has separate pages, which return to the system; glibc keeps the memory of a fixed one below 32 MiB. */
function allocate(words: number): Uint32Array<ArrayBuffer> {
  return new Uint32Array(new ArrayBuffer(4 * words, { maxByteLength: 4 * words }))
}

export class NameTable {
  readonly size: number
  readonly deepest: number
  readonly #words: Uint32Array
  readonly #index: Uint32Array
  readonly #bits: number

  constructor({ hashes, index, deepest }: TableBuffers) {
    this.size = hashes.byteLength / 8
    this.deepest = deepest
    this.#words = new Uint32Array(hashes)
    this.#index = new Uint32Array(index)
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
function isAmong(words: Uint32Array, begin: number, end: number, low: number, high: number): boolean {
  for (let at = begin; at < end; at++) if (words[2 * at + 1] === high && words[2 * at] === low) return true
  return false
}

function prefixBits(names: number): number {
  return Math.max(0, Math.floor(Math.log2(Math.max(1, names) / NAMES_PER_GROUP)))
}

function prefixOf(high: number, bits: number): number {
  // A shift by 32 would be a shift by 0.
  return bits === 0 ? 0 : high >>> (32 - bits)
}
