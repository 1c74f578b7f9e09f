// The bytes that a connection has received and the parser has not consumed. A chunk is read in place; bytes are copied only
// when a line or a head spans two chunks.

const LEAST_CAPACITY = 4096
const LINE_FEED = 10

export class ReceivedBytes {
  #bytes: Buffer = Buffer.alloc(0)
  /** Whether the buffer was allocated here, so that it can be appended to. */
  #isOwn = false
  #start = 0
  #end = 0
  /** The sequence that was last searched for in vain, and how many bytes have been searched. */
  #missing: string | undefined
  #searched = 0

  get length(): number {
    return this.#end - this.#start
  }

  push(chunk: Buffer): void {
    if (this.length === 0) {
      this.#bytes = chunk
      this.#isOwn = false
      this.#start = 0
      this.#end = chunk.length
      return
    }
    if (!this.#isOwn || this.#end + chunk.length > this.#bytes.length) this.#grow(chunk.length)
    chunk.copy(this.#bytes, this.#end)
    this.#end += chunk.length
  }

  /** The byte at this offset; undefined where it has not been received. */
  at(offset: number): number | undefined {
    return offset < this.length ? this.#bytes[this.#start + offset] : undefined
  }

  /** The number of bytes up to and including the first such sequence; undefined where it has not been received. */
  lengthUntil(sequence: '\r\n\r\n' | '\n'): number | undefined {
    // A buffer allocated here is uninitialised after the end.
    const bytes = this.#isOwn ? this.#bytes.subarray(0, this.#end) : this.#bytes
    // Otherwise a head that arrives byte by byte would be searched as often as it has bytes.
    const searched = sequence === this.#missing ? Math.max(0, this.#searched - sequence.length + 1) : 0
    const from = this.#start + searched
    const index = sequence === '\n' ? bytes.indexOf(LINE_FEED, from) : bytes.indexOf(sequence, from, 'latin1')
    if (index !== -1) return index + sequence.length - this.#start
    this.#missing = sequence
    this.#searched = this.length
    return undefined
  }

  /** Consumes this many bytes, which must have been received. They stay valid. */
  take(length: number): Buffer {
    const start = this.#consume(length)
    return this.#bytes.subarray(start, this.#start)
  }

  /** The same as text, one character per byte. */
  takeText(length: number): string {
    const start = this.#consume(length)
    return this.#bytes.toString('latin1', start, this.#start)
  }

  /** Returns where the consumed bytes start. */
  #consume(length: number): number {
    const start = this.#start
    this.#start += length
    this.#missing = undefined
    return start
  }

  /** Makes room at the end, in a new buffer: parts of the old one are still in use. */
  #grow(by: number): void {
    const { length } = this
    const bytes = Buffer.allocUnsafeSlow(Math.max(LEAST_CAPACITY, 2 * (length + by)))
    this.#bytes.copy(bytes, 0, this.#start, this.#end)
    this.#bytes = bytes
    this.#isOwn = true
    this.#start = 0
    this.#end = length
  }
}
