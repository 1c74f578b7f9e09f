// A request as handlers see it.
import type { PortalRequest, RequestHeaders } from './request-headers.ts'

/** Read-only. The target is neither decoded nor normalised. */
export class Exchange {
  readonly request: PortalRequest
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

  constructor(request: PortalRequest) {
    this.request = request
    this.headers = request.headers
    this.method = request.method as string
    this.target = request.url as string
    const mark = this.target.indexOf('?')
    this.path = mark === -1 ? this.target : this.target.slice(0, mark)
    this.query = mark === -1 ? '' : this.target.slice(mark + 1)
  }

  /** Whether the terminator received it on its plain-http port. Anyone can claim that, and only gets a redirect. */
  get isPlainHttp(): boolean {
    return this.headers['x-forwarded-proto'] === 'http'
  }
}
