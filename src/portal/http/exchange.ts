// A request as handlers see it.
import type { PortalRequest, RequestHeaders } from './request-headers.ts'

/** Apps append a slash to these addresses. Those of verdicts are exact. */
const WITHOUT_VERDICT = new Set(['/ca', '/ca.crt', '/ca.cer', '/ca.mobileconfig', '/privacy', '/healthz'])

/** Read-only. The target is neither decoded nor normalised. */
export class Exchange {
  readonly request: PortalRequest
  readonly headers: RequestHeaders
  readonly method: string
  /** As in the request line. */
  readonly target: string
  /** The target up to the question mark; of a page without a verdict, without a slash at the end. */
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
    const path = mark === -1 ? this.target : this.target.slice(0, mark)
    this.path = path.endsWith('/') && WITHOUT_VERDICT.has(path.slice(0, -1)) ? path.slice(0, -1) : path
    this.query = mark === -1 ? '' : this.target.slice(mark + 1)
  }
}
