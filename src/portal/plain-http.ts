// The terminator's plain-http port: everything but the certificate goes on to https (protocol v1, section 5).
import type { Config } from '../config/config.ts'
import type { Exchange } from './exchange.ts'

const SERVED_OVER_HTTP = new Set(['/ca', '/ca.crt', '/ca.cer', '/ca.mobileconfig'])

/**
 * Where a request goes that is marked as plain http, by whomever: lying here gains a redirect. Undefined when it is
 * served as it is. The address begins with the base URL, never with anything that the request says.
 */
export function secureLocation({ headers, target, path }: Exchange, baseUrl: string): string | undefined {
  if (headers['x-forwarded-proto'] !== 'http' || !baseUrl.startsWith('https:')) return undefined
  return target.startsWith('/') && !SERVED_OVER_HTTP.has(path) ? baseUrl + target : undefined
}

/** Where the certificate page is reached by a device that trusts nothing yet. */
export function certificateAddress({ secure, baseUrl, httpPort }: Config['publicAddress']): string {
  if (!secure) return `${baseUrl}/ca`
  const port = httpPort === 80 ? '' : `:${httpPort}`
  return `http://${new URL(baseUrl).hostname}${port}/ca`
}
