// Before anything is routed: requests that no browser sends, and that front and back of a chain may read differently.
import type { Exchange } from './exchange.ts'

/** `reason` is for the log. */
export interface GateRefusal {
  readonly status: 400 | 415
  readonly reason: 'target' | 'host' | 'body' | 'content encoding'
}

/** A request that is let through has an origin-form target (RFC 9112, section 3.2.1) and one host; a GET or HEAD has no body. */
export function refuseAtGate({ request, target, headers }: Exchange): GateRefusal | undefined {
  if (!target.startsWith('/')) return { status: 400, reason: 'target' }
  const { host } = headers
  // Several are joined by a comma, which no host holds. HTTP/1.0 may do without.
  const isHostWrong = host === undefined ? request.httpVersionMinor > 0 : host.includes(',')
  if (isHostWrong) return { status: 400, reason: 'host' }
  // Every other method is refused for itself.
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
  if (headers['content-encoding'] !== undefined) return { status: 415, reason: 'content encoding' }
  const length = headers['content-length']
  const hasBody = headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) !== 0)
  return hasBody ? { status: 400, reason: 'body' } : undefined
}
