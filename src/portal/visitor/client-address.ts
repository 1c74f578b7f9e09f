// The visitor's address, for the engine and, if configured, the record.
import { isIP, SocketAddress } from 'node:net'
import type { Logger } from 'pino'
import proxyAddress from 'proxy-addr'
import type { Exchange } from '../http/exchange.ts'

export interface VisitorAddresses {
  /**
   * The address in normal form, IPv4-mapped IPv6 as IPv4. When a trusted proxy forwards something else (`unknown`, an
   * address with a port), the proxy's address. Undefined when the browser has already disconnected.
   */
  addressOf(exchange: Exchange): string | undefined
  /** Logs once that an untrusted peer sends X-Forwarded-For. */
  warnOfForwarding(exchange: Exchange): void
}

const MAPPED = '::ffff:'

/** @param trustedProxies addresses and CIDRs whose X-Forwarded-For is trusted */
export function createVisitorAddresses(trustedProxies: readonly string[], log: Logger): VisitorAddresses {
  const isTrusted = proxyAddress.compile([...trustedProxies])
  let isLogged = false
  /** The last trusted peer, which is usually the terminator. */
  let trustedPeer: string | undefined
  return {
    addressOf({ request }) {
      const peer = request.socket.remoteAddress
      const forwarded = peer === undefined ? undefined : proxyAddress(request, isTrusted)
      const address = [forwarded, peer].find((one) => one !== undefined && isIP(one) !== 0)
      return address === undefined ? undefined : normalForm(address)
    },
    warnOfForwarding({ request, headers }) {
      if (isLogged || headers['x-forwarded-for'] === undefined) return
      const peer = request.socket.remoteAddress
      if (peer === undefined || peer === trustedPeer) return
      if (isTrusted(peer, 0)) {
        trustedPeer = peer
        return
      }
      isLogged = true
      log.warn({ peer }, 'X-Forwarded-For is ignored: its sender is not in GATEWAY_CAPTIVE_TRUSTED_PROXIES')
    },
  }
}

function normalForm(address: string): string {
  const normal = new SocketAddress({ address, family: isIP(address) === 4 ? 'ipv4' : 'ipv6' }).address
  const mapped = normal.startsWith(MAPPED) ? normal.slice(MAPPED.length) : ''
  return isIP(mapped) === 4 ? mapped : normal
}
