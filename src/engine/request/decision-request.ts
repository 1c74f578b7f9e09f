// A decision request, as every door passes it to the engine.
import { type Destination, parseDestination } from '../../contract/destination.ts'
import type { Client } from './client.ts'

export interface DecisionRequest {
  readonly destination: Destination
  /** Path and query as the client sent them, in ASCII, never empty. The server gets these, not those of the destination. */
  readonly target: string
  /** As the client sent it; the JSON call's default is GET. */
  readonly method: string
  readonly client: Client
  /** As `parseUser` returns it; undefined where the proxy names none. */
  readonly user: string | undefined
}

const SCHEME_AND_AUTHORITY = /^[a-z]+:\/\/[^/?#\\]*/i

/** Reads an absolute http or https URL as it was sent; undefined for anything else. */
export function parseRequestedUrl(url: string): Pick<DecisionRequest, 'destination' | 'target'> | undefined {
  const destination = parseDestination(url)
  // The URL parser drops spaces at the end.
  if (destination === undefined || url.endsWith(' ')) return undefined
  const sent = encodeBeyondAscii(url.replace(SCHEME_AND_AUTHORITY, ''))
  return { destination, target: /^[/\\]/.test(sent) ? sent : `/${sent}` }
}

/** The URL as it was sent, without credentials. */
export function sentUrl({ destination, target }: Pick<DecisionRequest, 'destination' | 'target'>): string {
  return `${destination.scheme}${destination.host}${target}`
}

function encodeBeyondAscii(text: string): string {
  return text.replace(/[^\0-\x7f]+/g, (part) => encodeURIComponent(part.toWellFormed()))
}

/** Whose session or lockout it is: the user where the proxy names one, otherwise the client. */
export interface Identity {
  readonly user: string | undefined
  readonly client: Client
}
