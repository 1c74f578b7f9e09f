// Names the user of a request for which the proxy names none: a RADIUS or DHCP server may have reported who uses the address.
import { type AddressRange, isFromOneOf } from '../../network/address-range.ts'
import type { Policy } from '../policy/policy.ts'
import type { Presences } from '../state/presences.ts'
import type { Identity } from './decision-request.ts'
import { parseUser } from './user.ts'

export interface ReportedUserOptions {
  /** PROXY_AUTH_EXCEPT: elsewhere, a device that names no user has not signed in. */
  readonly authExcept: readonly AddressRange[]
  readonly presences: Pick<Presences, 'userAt'>
  readonly policies: { readonly current: Pick<Policy, 'affixes'> }
}

/** What listeners apply to each request before it is decided. */
export type NameUser = <Request extends Identity>(request: Request) => Request

export function createNameUser({ authExcept, presences, policies }: ReportedUserOptions): NameUser {
  return (request) => {
    if (request.user !== undefined || authExcept.length === 0) return request
    const { address } = request.client
    const reported = presences.userAt(address)
    if (reported === undefined || !isFromOneOf(authExcept, address)) return request
    return { ...request, user: parseUser(reported, policies.current.affixes) }
  }
}
