// The client that a verdict is issued for, in the canonical form that sessions and lockouts are keyed by.
import { networkOf } from '../../contract/network.ts'
import { parseAddress } from '../../network/address.ts'

declare const parsed: unique symbol

export interface Client {
  readonly [parsed]: true
  /** The canonical address; an IPv4-mapped IPv6 address as IPv4. */
  readonly address: string
  /** The address, or the /64 of an IPv6 address: a client can choose any address in it. */
  readonly network: string
}

/** Reads an IP address without a zone; undefined for anything else. */
export function parseClient(text: string): Client | undefined {
  const address = parseAddress(text)
  return address === undefined ? undefined : ({ address, network: networkOf(address) } as Client)
}
