// The visitor's address, for the engine's log and, where the operator wants it, the record.
import { isIP, SocketAddress } from 'node:net'
import type { Logger } from 'pino'
import proxyAddress from 'proxy-addr'
import type { Exchange } from '../http/exchange.ts'

export interface VisitorAddresses {
  /**
   * The address in its normal form, an IPv4-mapped IPv6 one as IPv4. What a trusted proxy forwards and is none
   * (`unknown`, one with a port) gives way to the proxy's own. Undefined when the browser was gone before anybody asked.
   */
  addressOf(exchange: Exchange): string | undefined
  /** Says once, for the operator, that somebody forwards addresses whom nobody said to believe. */
  warnOfForwarding(exchange: Exchange): void
}

const MAPPED = '::ffff:'

/** @param trustedProxies addresses and CIDRs whose X-Forwarded-For is believed */
export function createVisitorAddresses(trustedProxies: readonly string[], log: Logger): VisitorAddresses {
  const isTrusted = proxyAddress.compile([...trustedProxies])
  let isSaid = false
  /** The last peer that was found to be trusted: mostly the terminator, for every request. */
  let trustedPeer: string | undefined
  return {
    addressOf({ request }) {
      const peer = request.socket.remoteAddress
      const forwarded = peer === undefined ? undefined : proxyAddress(request, isTrusted)
      const address = [forwarded, peer].find((one) => one !== undefined && isIP(one) !== 0)
      return address === undefined ? undefined : normalForm(address)
    },
    warnOfForwarding({ request, headers }) {
      if (isSaid || headers['x-forwarded-for'] === undefined) return
      const peer = request.socket.remoteAddress
      if (peer === undefined || peer === trustedPeer) return
      if (isTrusted(peer, 0)) {
        trustedPeer = peer
        return
      }
      isSaid = true
      log.warn({ peer }, 'X-Forwarded-For is ignored: its sender is not in GATEWAY_CAPTIVE_TRUSTED_PROXIES')
    },
  }
}

function normalForm(address: string): string {
  const normal = new SocketAddress({ address, family: isIP(address) === 4 ? 'ipv4' : 'ipv6' }).address
  const mapped = normal.startsWith(MAPPED) ? normal.slice(MAPPED.length) : ''
  return isIP(mapped) === 4 ? mapped : normal
}
