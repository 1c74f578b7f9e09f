// The URL that a client requests, with the limits of every listener.
import { type Destination, parseDestination } from '../../contract/destination.ts'
import { hostOf, MAXIMUM_HOST_CHARACTERS } from '../../network/host.ts'
import type { OrReason } from '../or-reason.ts'

export interface Target {
  readonly destination: Destination
  /** The host of the destination, in the canonical form that rules compare. */
  readonly host: string
  /** Path and query as the client sent them, in ASCII, never empty. The server gets these, not those of the destination. */
  readonly target: string
}

/** The whole URL goes into a Location header, which portals read within 16 KiB of headers. */
export const MAXIMUM_REQUESTED_URL_BYTES = 8192

export type TargetFault = 'the URL is invalid' | 'the URL is too long' | 'the host is too long'

const SCHEME_AND_AUTHORITY = /^[a-z]+:\/\/[^/?#\\]*/i

/**
 * Reads an absolute http or https URL as it was sent. The URL parser accepts a host that is longer than DNS allows: it might not
 * fit into a payload.
 */
export function parseTarget(url: string): OrReason<Target, { readonly reason: TargetFault }> {
  const destination = parseDestination(url)
  // The URL parser drops spaces at the end.
  if (destination === undefined || url.endsWith(' ')) return { reason: 'the URL is invalid' }
  if (destination.href.length > MAXIMUM_REQUESTED_URL_BYTES) return { reason: 'the URL is too long' }
  const host = hostOf(destination)
  if (host.length > MAXIMUM_HOST_CHARACTERS) return { reason: 'the host is too long' }
  const sent = encodeBeyondAscii(url.replace(SCHEME_AND_AUTHORITY, ''))
  return { destination, host, target: /^[/\\]/.test(sent) ? sent : `/${sent}` }
}

/** The URL as it was sent, without credentials. */
export function sentUrl({ destination, target }: Pick<Target, 'destination' | 'target'>): string {
  return `${destination.scheme}${destination.host}${target}`
}

function encodeBeyondAscii(text: string): string {
  return text.replace(/[^\0-\x7f]+/g, (part) => encodeURIComponent(part.toWellFormed()))
}
