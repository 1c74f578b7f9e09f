// A host that the proxy asks about. It is read as that of a request is, but stricter: what is not obviously a host is decided
// request by request.
import { isIPv6 } from 'node:net'
import { parseDestination } from '../../contract/destination.ts'
import { hostOf } from '../../network/host.ts'

/** A name in ASCII, an IPv4 address in any notation, or an IPv6 address: no port, no escapes, nothing beyond a host. */
const HOST = /^(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]+\])$/i

/** The canonical form of a host as Squid writes it, an IPv6 address with or without brackets; undefined for anything else. */
export function parseAskedHost(text: string): string | undefined {
  const authority = isIPv6(text) ? `[${text}]` : text
  const destination = HOST.test(authority) ? parseDestination(`http://${authority}/`) : undefined
  const host = destination && hostOf(destination)
  return host === '' ? undefined : host
}
