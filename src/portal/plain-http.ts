// The terminator's plain-http port: everything but the certificate goes on to https (protocol v1, section 5).
import type { FastifyRequest } from 'fastify'
import { targetPath } from './targets.ts'

const SERVED_OVER_HTTP = new Set(['/ca', '/ca.crt', '/ca.cer', '/ca.mobileconfig'])

/**
 * Where a request goes that is marked as plain http, by whomever: lying here gains a redirect. Undefined when it is
 * served as it is. The address begins with the base URL, never with anything that the request says.
 */
export function secureLocation(request: FastifyRequest, baseUrl: string): string | undefined {
  if (request.headers['x-forwarded-proto'] !== 'http' || !baseUrl.startsWith('https:')) return undefined
  const target = request.originalUrl
  if (!target.startsWith('/') || SERVED_OVER_HTTP.has(targetPath(target))) return undefined
  return baseUrl + target
}
