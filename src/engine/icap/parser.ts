// Parses what an ICAP client sends, split at any byte: heads by their lengths, bodies chunk by chunk. It keeps at most one
// head and the last chunk received.
import { TOKEN_CHARACTERS } from '../request/http-token.ts'
import { type IcapHead, type IcapProblem, isWithoutHttp, malformed, parseIcapHead } from './icap-head.ts'
import { MAXIMUM_HEAD_BYTES } from './limits.ts'
import { ReceivedBytes } from './received-bytes.ts'

/** A request is an `icap` event, an `http` event unless it is OPTIONS or HOSTS, data, and an `end` event. */
export type IcapEvent =
  | { readonly kind: 'icap'; readonly head: IcapHead }
  /** The encapsulated HTTP head with its empty line. */
  | { readonly kind: 'http'; readonly bytes: Buffer }
  /** A part of the body or of its preview, without the chunks' framing. */
  | { readonly kind: 'data'; readonly bytes: Buffer }
  /** The request, or its preview, is complete. */
  | { readonly kind: 'end' }
  /** Nothing after this can be parsed. */
  | { readonly kind: 'malformed'; readonly problem: IcapProblem }

/** `end` ends a request, `malformed` the connection. */
type State = 'icap head' | 'http head' | 'chunk size' | 'chunk data' | 'chunk end' | 'trailer' | 'end' | 'malformed'

const MAXIMUM_LINE_BYTES = 4096
/** Of empty lines before a request, which some clients send after the one before (RFC 9112, section 2.2). */
const MAXIMUM_EMPTY_BYTES = 4096
const MAXIMUM_TRAILER_BYTES = 16 * 1024
/** At most 13 hexadecimal digits after zeros: a safe integer. Extensions, `ieof` among them, make no difference. */
const CHUNK_SIZE = /^0*([0-9a-f]{1,13})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?\r\n$/i
const TRAILER = new RegExp(`^[${TOKEN_CHARACTERS}]+:[\\t\\x20-\\x7e\\x80-\\xff]*\\r\\n$`)
const CARRIAGE_RETURN = 13
const LINE_FEED = 10

export class IcapParser {
  readonly #received = new ReceivedBytes()
  #state: State = 'icap head'
  #head: IcapHead | undefined
  /** Bytes of the chunk that have not been received. */
  #chunkBytes = 0
  /** Bytes that the preview may still have; infinite for a body. */
  #bodyBytes = 0
  #trailerBytes = 0
  #emptyBytes = 0

  push(chunk: Buffer): void {
    if (this.#state !== 'malformed') this.#received.push(chunk)
  }

  /** Whether some of a request, but not all, has been received. Call it when `next` has returned undefined. */
  get isWithinRequest(): boolean {
    return this.#state !== 'icap head' || this.#received.length > 0
  }

  /** The next event; undefined until more bytes have been received. */
  next(): IcapEvent | undefined {
    for (;;) {
      const event = this.#step()
      if (event !== 'again') return event
    }
  }

  #step(): IcapEvent | undefined | 'again' {
    switch (this.#state) {
      case 'icap head':
        return this.#readIcapHead()
      case 'http head':
        return this.#readHttpHead()
      case 'chunk size':
        return this.#readChunkSize()
      case 'chunk data':
        return this.#readChunkData()
      case 'chunk end':
        return this.#readChunkEnd()
      case 'trailer':
        return this.#readTrailer()
      case 'end':
        this.#state = 'icap head'
        return { kind: 'end' }
      case 'malformed':
        return undefined
    }
  }

  #fail(problem: IcapProblem): IcapEvent {
    this.#state = 'malformed'
    return { kind: 'malformed', problem }
  }

  #readIcapHead(): IcapEvent | undefined {
    this.#skipEmptyLines()
    const first = this.#received.at(0)
    if (first === undefined || (first === CARRIAGE_RETURN && this.#received.length === 1)) return undefined
    // Rejected immediately: the client of a TLS handshake, for example, would otherwise wait for a timeout.
    if (first < 0x41 || first > 0x5a) return this.#fail(malformed('not an ICAP request'))
    const length = this.#received.lengthUntil('\r\n\r\n')
    if ((length ?? this.#received.length + 1) > MAXIMUM_HEAD_BYTES) return this.#fail(malformed('the head is too long'))
    if (length === undefined) return undefined
    this.#emptyBytes = 0
    const head = parseIcapHead(this.#received.takeText(length))
    if (head.reason !== undefined) return this.#fail(head)
    this.#head = head
    if (head.encapsulated !== undefined) this.#state = 'http head'
    // What follows the head of another method is unknown.
    else this.#state = isWithoutHttp(head.method) ? 'end' : 'malformed'
    return { kind: 'icap', head }
  }

  #skipEmptyLines(): void {
    while (this.#emptyBytes < MAXIMUM_EMPTY_BYTES) {
      const length = this.#received.at(0) === LINE_FEED ? 1 : 2
      const end = this.#received.at(length - 1)
      if (end !== LINE_FEED || (length === 2 && this.#received.at(0) !== CARRIAGE_RETURN)) return
      this.#received.take(length)
      this.#emptyBytes += length
    }
  }

  #readHttpHead(): IcapEvent | undefined {
    const { httpBytes = 0, hasBody = false } = this.#head?.encapsulated ?? {}
    if (this.#received.length < httpBytes) return undefined
    const bytes = this.#received.take(httpBytes)
    if (bytes.indexOf('\r\n\r\n', 0, 'latin1') !== httpBytes - 4) {
      return this.#fail(malformed('Encapsulated does not name the end of the HTTP head'))
    }
    this.#bodyBytes = this.#head?.preview ?? Number.POSITIVE_INFINITY
    this.#trailerBytes = 0
    this.#state = hasBody ? 'chunk size' : 'end'
    return { kind: 'http', bytes }
  }

  #readChunkSize(): IcapEvent | undefined | 'again' {
    const line = this.#readLine()
    if (line === undefined) return undefined
    const [, digits] = CHUNK_SIZE.exec(line) ?? []
    if (digits === undefined) return this.#fail(malformed('not a chunk size'))
    this.#chunkBytes = Number.parseInt(digits, 16)
    if (this.#chunkBytes > this.#bodyBytes) return this.#fail(malformed('the preview is longer than announced'))
    this.#bodyBytes -= this.#chunkBytes
    this.#state = this.#chunkBytes === 0 ? 'trailer' : 'chunk data'
    return 'again'
  }

  #readChunkData(): IcapEvent | undefined {
    const length = Math.min(this.#chunkBytes, this.#received.length)
    if (length === 0) return undefined
    this.#chunkBytes -= length
    if (this.#chunkBytes === 0) this.#state = 'chunk end'
    return { kind: 'data', bytes: this.#received.take(length) }
  }

  #readChunkEnd(): IcapEvent | undefined | 'again' {
    if (this.#received.length < 2) return undefined
    if (this.#received.at(0) !== CARRIAGE_RETURN || this.#received.at(1) !== LINE_FEED) {
      return this.#fail(malformed('a chunk is longer than announced'))
    }
    this.#received.take(2)
    this.#state = 'chunk size'
    return 'again'
  }

  #readTrailer(): IcapEvent | undefined | 'again' {
    const line = this.#readLine()
    if (line === undefined) return undefined
    this.#trailerBytes += line.length
    if (line === '\r\n') this.#state = 'end'
    else if (this.#trailerBytes > MAXIMUM_TRAILER_BYTES) return this.#fail(malformed('the trailer is too long'))
    else if (!TRAILER.test(line)) return this.#fail(malformed('not a trailer field'))
    return 'again'
  }

  /** A line with its end; undefined where it has not been received. One that is too long has no end. */
  #readLine(): string | undefined {
    const length = this.#received.lengthUntil('\n')
    if (length === undefined && this.#received.length < MAXIMUM_LINE_BYTES) return undefined
    return this.#received.takeText(Math.min(length ?? MAXIMUM_LINE_BYTES, MAXIMUM_LINE_BYTES))
  }
}
