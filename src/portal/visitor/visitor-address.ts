// The visitor's address, for the engine and, if configured, the record.
import { isIP, SocketAddress } from 'node:net'
import type { Logger } from 'pino'
import proxyAddress from 'proxy-addr'
import { networkOf } from '../../contract/network.ts'
import type { Exchange } from '../http/exchange.ts'

export interface VisitorAddress {
  /** In normal form, IPv4-mapped IPv6 as IPv4. */
  readonly address: string
  /** The address itself, or the /64 of an IPv6 address. */
  readonly network: string
}

export interface VisitorAddresses {
  /**
   * When a trusted proxy forwards no address (`unknown`, an address with a port), the proxy's. Undefined when the browser
   * has already disconnected.
   */
  addressOf(exchange: Exchange): VisitorAddress | undefined
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
      const found = [forwarded, peer].find((one) => one !== undefined && isIP(one) !== 0)
      if (found === undefined) return undefined
      const address = normalForm(found)
      return { address, network: networkOf(address) }
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
