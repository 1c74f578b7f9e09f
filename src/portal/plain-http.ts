// The terminator's plain-http port: everything but the certificate goes on to https (protocol v1, section 5).
import type { Config } from '../config/config.ts'
import type { Answer, Exchange } from './exchange.ts'

const SERVED_OVER_HTTP = new Set(['/ca', '/ca.crt', '/ca.cer', '/ca.mobileconfig'])

/**
 * Where a request goes that is marked as plain http, by whomever: lying here gains a redirect. Undefined when it is
 * served as it is. The address begins with the base URL, never with anything that the request says.
 */
export function secureLocation(exchange: Exchange, baseUrl: string): string | undefined {
  if (!isPlainHttp(exchange) || !baseUrl.startsWith('https:')) return undefined
  const { target, path } = exchange
  return target.startsWith('/') && !SERVED_OVER_HTTP.has(path) ? baseUrl + target : undefined
}

/** Browsers complain of this header over plain http, where it has no effect. */
export function withoutOpenerPolicy(answer: Answer): Answer {
  const at = answer.headers.indexOf('cross-origin-opener-policy')
  return at === -1 ? answer : { ...answer, headers: answer.headers.toSpliced(at, 2) }
}

export function isPlainHttp({ headers }: Exchange): boolean {
  return headers['x-forwarded-proto'] === 'http'
}

/** Where the certificate page is reached by a device that trusts nothing yet. */
export function certificateAddress({ secure, baseUrl, httpPort }: Config['publicAddress']): string {
  if (!secure) return `${baseUrl}/ca`
  const port = httpPort === 80 ? '' : `:${httpPort}`
  return `http://${new URL(baseUrl).hostname}${port}/ca`
}
