// The visitor's address, for the engine's log and, where the operator wants it, the record.
import { isIP, SocketAddress } from 'node:net'
import type { FastifyRequest } from 'fastify'

const MAPPED = '::ffff:'

/**
 * The address in its normal form, an IPv4-mapped IPv6 one as IPv4. What a trusted proxy forwards and is none (`unknown`,
 * one with a port) gives way to the proxy's own. Undefined when the browser was gone before anybody asked.
 */
export function visitorAddress({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string | undefined {
  const address = [ip, socket.remoteAddress].find((one) => one !== undefined && isIP(one) !== 0)
  if (address === undefined) return undefined
  const normal = new SocketAddress({ address, family: isIP(address) === 4 ? 'ipv4' : 'ipv6' }).address
  const mapped = normal.startsWith(MAPPED) ? normal.slice(MAPPED.length) : ''
  return isIP(mapped) === 4 ? mapped : normal
}

/** Says once, for the operator, that somebody forwards addresses whom nobody said to believe. */
export function createForwardingWarning(): (request: FastifyRequest) => void {
  let isSaid = false
  return (request) => {
    if (isSaid || request.headers['x-forwarded-for'] === undefined || request.ip !== request.socket.remoteAddress)
      return
    isSaid = true
    const peer = request.socket.remoteAddress
    request.log.warn({ peer }, 'X-Forwarded-For is ignored: its sender is not in GATEWAY_CAPTIVE_TRUSTED_PROXIES')
  }
}
