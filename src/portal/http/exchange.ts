// A request as the routes see it.
import type { IncomingMessage } from 'node:http'

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
