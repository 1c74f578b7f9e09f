// Hosts in the one form that rules and lists compare.
import { isIPv4, isIPv6 } from 'node:net'
import type { Destination } from '../contract/destination.ts'
import { parseAddress } from './address.ts'

/** The limit of DNS. */
export const MAXIMUM_HOST_CHARACTERS = 253
const NAME = /^(?!\.)(?!.*\.\.)[a-z0-9_.-]+$/

/** The host of a URL in canonical form. */
export function hostOf({ host }: Destination): string {
  const colon = host.endsWith(']') ? -1 : host.lastIndexOf(':')
  return canonicalHost(colon === -1 ? host : host.slice(0, colon))
}

/**
 * The canonical form of a host as the URL parser spells it: without brackets and dots at its end; an IPv4-mapped IPv6
 * address as IPv4, because it reaches the same server.
 */
export function canonicalHost(hostname: string): string {
  if (hostname.startsWith('[')) {
    const address = hostname.slice(1, -1)
    return parseAddress(address) ?? address
  }
  let end = hostname.length
  while (hostname[end - 1] === '.') end--
  return hostname.slice(0, end)
}

/** Reads a host as operators write it, an internationalised name in either form; undefined for anything else. */
export function parseHost(text: string): string | undefined {
  if (isIPv6(text)) return parseAddress(text)
  if (/[\s/?#@\\*%]/.test(text)) return undefined
  const url = URL.parse(`http://${text}/`)
  if (url === null) return undefined
  const host = canonicalHost(url.hostname)
  return isIPv6(host) || (host.length <= MAXIMUM_HOST_CHARACTERS && NAME.test(host)) ? host : undefined
}

/** Whether a canonical host is an address; nothing is below one. */
export function isAddress(host: string): boolean {
  return host.includes(':') || isIPv4(host)
}

/** A host and the names above it, shortest first: `example`, `casino.example`, `www.casino.example`. */
export function suffixesOf(host: string): readonly string[] {
  if (isAddress(host)) return [host]
  const suffixes: string[] = []
  for (let dot = host.lastIndexOf('.'); dot !== -1; dot = host.lastIndexOf('.', dot - 1)) {
    suffixes.push(host.slice(dot + 1))
    if (dot === 0) break
  }
  suffixes.push(host)
  return suffixes
}
