// Splits a file into lines, chunk by chunk. A line ends with LF, CR or both.

/** No line with a name is this long; of a longer one only the first bytes are kept. */
export const MAXIMUM_LINE_BYTES = 4096

export interface LineReader {
  /** Where the next bytes of the file belong. */
  space(): Uint8Array
  /** Handles this many bytes, which have been written there. */
  advance(count: number): void
  /** The file has ended. */
  finish(): void
}

const CHUNK_BYTES = 1024 * 1024
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/**
 * @param handle called for each line, without its end; a line of `MAXIMUM_LINE_BYTES` may have been cut. The bytes may be
 *   changed, and are valid until it returns.
 */
export function createLineReader(
  handle: (bytes: Buffer, start: number, end: number, number: number) => void,
): LineReader {
  const bytes = Buffer.allocUnsafe(MAXIMUM_LINE_BYTES + CHUNK_BYTES)
  /** The bytes of a line whose end has not been read. */
  let kept = 0
  let number = 0
  let isAfterReturn = false
  return {
    space: () => bytes.subarray(kept),
    advance(count) {
      const end = kept + count
      let start = 0
      for (let at = Math.max(start, kept); ; at++) {
        at = nextControl(bytes, at, end)
        if (at >= end) break
        const byte = bytes[at]
        if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) continue
        const isSecondHalf = byte === LINE_FEED && at === start && isAfterReturn
        if (!isSecondHalf) handle(bytes, start, at, ++number)
        isAfterReturn = byte === CARRIAGE_RETURN
        start = at + 1
      }
      kept = Math.min(end - start, MAXIMUM_LINE_BYTES)
      bytes.copyWithin(0, start, start + kept)
    },
    finish() {
      if (kept > 0) handle(bytes, 0, kept, ++number)
    },
  }
}

/**
 * The offset of the next byte that may end a line, or `end`. A separate function, because V8 then compiles it a thousand
 * lines earlier, and it takes half the time.
 */
function nextControl(bytes: Uint8Array, from: number, end: number): number {
  let at = from
  while (at < end && (bytes[at] as number) > CARRIAGE_RETURN) at++
  return at
}
