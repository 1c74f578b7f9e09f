// A request as handlers see it.
import type { IncomingMessage } from 'node:http'

/** The request headers that the portal reads. Duplicates are joined, so that two values never look like one. */
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

/** Read-only. The target is neither decoded nor normalised. */
export class Exchange {
  readonly request: IncomingMessage
  readonly headers: RequestHeaders
  readonly method: string
  /** As in the request line. */
  readonly target: string
  /** The target up to the question mark. */
  readonly path: string
  /** After the question mark; empty without one. */
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
