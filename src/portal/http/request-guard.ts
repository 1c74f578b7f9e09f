// Rejects, before routing, requests that no browser sends and that two servers in a chain may read differently.
import type { Exchange } from './exchange.ts'

export interface GuardRefusal {
  readonly status: 400 | 415
  /** For the log. */
  readonly reason: 'target' | 'host' | 'body' | 'content encoding'
}

/** Allows an origin-form target (RFC 9112, section 3.2.1) with one host; GET and HEAD must not have a body. */
export function guardRequest({ request, method, target, headers }: Exchange): GuardRefusal | undefined {
  if (!target.startsWith('/')) return { status: 400, reason: 'target' }
  const { host } = headers
  // Duplicates are joined with a comma, which no host contains. HTTP/1.0 does not require the header.
  const isHostInvalid = host === undefined ? request.httpVersionMinor > 0 : host.includes(',')
  if (isHostInvalid) return { status: 400, reason: 'host' }
  // The router rejects every other method.
  if (method !== 'GET' && method !== 'HEAD') return undefined
  if (headers['content-encoding'] !== undefined) return { status: 415, reason: 'content encoding' }
  const length = headers['content-length']
  const hasBody = headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) !== 0)
  return hasBody ? { status: 400, reason: 'body' } : undefined
}
