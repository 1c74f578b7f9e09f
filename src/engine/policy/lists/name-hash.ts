// Keyed 64-bit hashes of domain names: HalfSipHash-2-4 (Aumasson and Bernstein), over the name's bytes from the last to the
// first. So one pass over a host gives the hash of each of its suffixes. Without the key nobody can construct a name that
// collides with an entry of a list; by chance one lookup in a list of a million names is wrong once in 2^44.
import { randomBytes } from 'node:crypto'

/** Two 32-bit words. */
export type HashKey = readonly [number, number]

const DOT = 0x2e

export function createHashKey(): HashKey {
  const bytes = randomBytes(8)
  return [bytes.readInt32LE(0), bytes.readInt32LE(4)]
}

/**
 * Writes the hashes of a name's suffixes as pairs of words, low word first, those of the shortest suffix first.
 * @param bytes holds the name in ASCII, from `start` to before `end`
 * @param wholeOnly whether to hash the name alone, without its suffixes
 * @param boundary the byte before which suffixes begin
 * @returns the number of hashes
 */
export function hashSuffixes(
  key: HashKey,
  bytes: Uint8Array,
  start: number,
  end: number,
  target: Int32Array,
  wholeOnly: boolean,
  boundary = DOT,
): number {
  let v0 = key[0]
  let v1 = key[1] ^ 0xee
  let v2 = 0x6c796765 ^ key[0]
  let v3 = 0x74656462 ^ key[1]
  let block = 0
  let hashed = 0
  let count = 0
  for (let at = end - 1; at >= start; at--) {
    const byte = bytes[at] as number
    if (byte === boundary && !wholeOnly) {
      finish(v0, v1, v2, v3, block | (hashed << 24), target, 2 * count)
      count++
    }
    block |= byte << (8 * (hashed & 3))
    hashed++
    if ((hashed & 3) !== 0) continue
    v3 ^= block
    for (let round = 0; round < 2; round++) {
      v0 = (v0 + v1) | 0
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
      v0 = (v0 << 16) | (v0 >>> 16)
      v2 = (v2 + v3) | 0
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
      v0 = (v0 + v3) | 0
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
      v2 = (v2 + v1) | 0
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
      v2 = (v2 << 16) | (v2 >>> 16)
    }
    v0 ^= block
    block = 0
  }
  finish(v0, v1, v2, v3, block | (hashed << 24), target, 2 * count)
  return count + 1
}

/** The last block and the finalisation: two rounds, four for the low word, four for the high one. */
function finish(
  v0: number,
  v1: number,
  v2: number,
  v3: number,
  block: number,
  target: Int32Array,
  index: number,
): void {
  v3 ^= block
  for (let round = 1; round <= 10; round++) {
    v0 = (v0 + v1) | 0
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
    v0 = (v0 << 16) | (v0 >>> 16)
    v2 = (v2 + v3) | 0
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
    v0 = (v0 + v3) | 0
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
    v2 = (v2 + v1) | 0
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
    v2 = (v2 << 16) | (v2 >>> 16)
    if (round === 2) {
      v0 ^= block
      v2 ^= 0xee
    } else if (round === 6) {
      target[index] = v1 ^ v3
      v1 ^= 0xdd
    }
  }
  target[index + 1] = v1 ^ v3
}
