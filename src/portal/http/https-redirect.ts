// The terminator's plain-http port: everything except the certificate page redirects to https (protocol v1, section 4).
import type { Exchange } from './exchange.ts'
import type { HttpResponse } from './handler.ts'

const SERVED_OVER_HTTP = new Set(['/ca', '/ca.crt', '/ca.cer', '/ca.mobileconfig'])

/**
 * The redirect target of a request marked as plain http; undefined when it is served. Anyone can send the mark, and only
 * gets a redirect. The address begins with the base URL, never with anything from the request.
 */
export function secureLocation(exchange: Exchange, baseUrl: string): string | undefined {
  if (!isPlainHttp(exchange) || !baseUrl.startsWith('https:')) return undefined
  const { target, path } = exchange
  return target.startsWith('/') && !SERVED_OVER_HTTP.has(path) ? baseUrl + target : undefined
}

/** Browsers log an error about this header over plain http, where it has no effect. */
export function withoutOpenerPolicy(response: HttpResponse): HttpResponse {
  const at = response.headers.indexOf('cross-origin-opener-policy')
  return at === -1 ? response : { ...response, headers: response.headers.toSpliced(at, 2) }
}

export function isPlainHttp({ headers }: Exchange): boolean {
  return headers['x-forwarded-proto'] === 'http'
}
