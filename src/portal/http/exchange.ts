// A request as the routes see it, and what a route returns for it.
import type { IncomingMessage } from 'node:http'
import type { ByteString } from '../html/byte-string.ts'
import type { RequestEvent } from '../request-event.ts'

/** The request headers that the portal reads. Several fields of one name are joined, so that two never pass for one. */
type HeaderName =
  | 'accept-language'
  | 'content-encoding'
  | 'content-length'
  | 'cookie'
  | 'host'
  | 'if-none-match'
  | 'purpose'
  | 'sec-ch-ua-platform'
  | 'sec-fetch-dest'
  | 'sec-fetch-site'
  | 'sec-purpose'
  | 'transfer-encoding'
  | 'user-agent'
  | 'x-forwarded-for'
  | 'x-forwarded-proto'
  | 'x-override-code'

export type RequestHeaders = Readonly<Record<HeaderName, string | undefined>>

/** Read-only. The target is kept as it came: nothing is decoded or normalised. */
export class Exchange {
  readonly request: IncomingMessage
  readonly headers: RequestHeaders
  readonly method: string
  /** As it stands in the request line. */
  readonly target: string
  /** The target up to the question mark. */
  readonly path: string
  /** What follows the question mark; empty without one. */
  readonly query: string
  /** Milliseconds, by `performance.now()`. */
  readonly receivedAt: number = performance.now()

  constructor(request: IncomingMessage) {
    this.request = request
    this.headers = request.headers as RequestHeaders
    this.method = request.method as string
    this.target = request.url as string
    const mark = this.target.indexOf('?')
    this.path = mark === -1 ? this.target : this.target.slice(0, mark)
    this.query = mark === -1 ? '' : this.target.slice(mark + 1)
  }
}

export interface HttpResponse {
  readonly status: number
  /** The engine's, for a relayed response: Node then adds no header. */
  readonly reasonPhrase?: string
  /** Name, value, name, …; complete, `content-length` included. */
  readonly headers: readonly string[]
  readonly body: ByteString | Buffer
  /** Closes the connection. */
  readonly isLast?: true
}

/** A response, and the event that describes it to log, metrics and traces. */
export interface Handled {
  readonly response: HttpResponse
  readonly event: RequestEvent
}

export type Handler = (exchange: Exchange) => Handled | Promise<Handled>

/** A response that no other event describes. */
export function plain(response: HttpResponse): Handled {
  return { response, event: { name: 'request' } }
}
