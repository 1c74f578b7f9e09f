// The client that a verdict is issued for, in the canonical form that sessions and lockouts are keyed by.
import { isIP } from 'node:net'
import { networkOf } from '../../contract/network.ts'

declare const parsed: unique symbol

export interface Client {
  readonly [parsed]: true
  /** The canonical address; an IPv4-mapped IPv6 address as IPv4. */
  readonly address: string
  /** The address, or the /64 of an IPv6 address: a client can choose any address in it. */
  readonly network: string
}

const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/

/** Reads an IP address without a zone; undefined for anything else. */
export function parseClient(text: string): Client | undefined {
  const family = isIP(text)
  if (family === 4) return { address: text, network: text } as Client
  if (family !== 6 || text.includes('%')) return undefined
  const address = new URL(`http://[${text}]`).hostname.slice(1, -1)
  const mapped = MAPPED.exec(address)
  if (mapped === null) return { address, network: networkOf(address) } as Client
  const dotted = mapped
    .slice(1)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.')
  return { address: dotted, network: dotted } as Client
}
