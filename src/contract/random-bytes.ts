// Random bytes for identifiers and initialisation vectors, from a buffer: a call to the generator takes 2 µs, however few
// bytes it returns.
import { randomBytes } from 'node:crypto'

const SUPPLY_BYTES = 8192

let supply = Buffer.alloc(0)

/** Bytes that no other call returns. Not for keys and codes: the next ones are in memory before they are used. */
export function takeRandomBytes(count: number): Buffer {
  // A new buffer: the old one's bytes may still be in use.
  if (supply.length < count) supply = randomBytes(SUPPLY_BYTES)
  const taken = supply.subarray(0, count)
  supply = supply.subarray(count)
  return taken
}
