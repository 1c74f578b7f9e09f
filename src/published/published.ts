// What the engine publishes for the proxy: settings of the policy that only the proxy can carry out.
import type { AddressRange } from '../network/address-range.ts'

export interface Published {
  /** The portal's names and addresses, canonical, without brackets: only the proxy can see to it that they lead to the portal. */
  readonly portalNames: readonly string[]
  /** Hosts that are not decrypted. No domain covers another: Squid would not start. */
  readonly exemptHosts: readonly Domain[]
  /** Clients that are not decrypted. */
  readonly exemptClients: readonly AddressRange[]
  /** Addresses that nobody may reach through the proxy. */
  readonly internal: readonly AddressRange[]
  readonly safesearch: boolean
  readonly youtube: 'strict' | 'moderate' | undefined
  /** Headers of requests to these hosts. */
  readonly tenants: readonly Tenant[]
  /** Whether the engine could do anything but allow: for each host, or only for those that it names when it is asked. */
  readonly ruledHosts: 'every' | 'some'
}

/** A host, canonical and without brackets, or with all hosts below it. */
export interface Domain {
  readonly host: string
  readonly below: boolean
}

export interface Tenant {
  readonly domain: Domain
  readonly header: string
  readonly value: string
}
