// The settings of the policy file for decrypted traffic. The engine only publishes them: the proxy applies them.
import type { AddressRange } from '../../network/address-range.ts'
import type { HostPattern } from '../../network/host-pattern.ts'

export interface Inspection {
  /** Hosts whose connections the proxy does not decrypt. */
  readonly exempt: readonly HostPattern[]
  /** The same, of the list that we ship; empty where `exempt_defaults` is false. */
  readonly exemptDefaults: readonly HostPattern[]
  /** Clients whose connections the proxy does not decrypt. */
  readonly exemptClients: readonly AddressRange[]
  readonly safesearch: boolean
  readonly youtube: YoutubeRestriction | undefined
  readonly tenants: readonly Tenant[]
}

type YoutubeRestriction = 'strict' | 'moderate'

/** A header that is added to requests, by which a cloud service admits only accounts of named organisations. */
interface Tenant {
  readonly hosts: readonly HostPattern[]
  readonly header: string
  readonly value: string
}
