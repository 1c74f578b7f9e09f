// What an entry of `match` names: hosts, or a network of addresses, and a prefix of their paths.
import { isIPv4, isIPv6 } from 'node:net'
import { type AddressRange, addressWords, containsRange, isInRange, parseAddressRange } from './address-range.ts'
import { isAddress, parseHost } from './host.ts'
import { isBelow, parsePathPrefix, type Readings, type UrlPath } from './url-path.ts'

export interface HostPattern {
  /** Canonical; empty for every host, the text of a network. */
  readonly host: string
  /** Whether it matches the host. */
  readonly itself: boolean
  /** Whether it matches the hosts below it. */
  readonly below: boolean
  /** Matches the hosts that are addresses of it; then the members above match none. */
  readonly network: AddressRange | undefined
  readonly path: Readings | undefined
  /** As written in the file. */
  readonly text: string
}

/** Reads a pattern; a port is ignored, and so is `/*` at the end. Undefined for anything else. */
export function parseHostPattern(text: string): HostPattern | undefined {
  const slash = text.indexOf('/')
  const hostText = slash === -1 ? text : text.slice(0, slash)
  const pathText = slash === -1 ? '' : text.slice(slash)
  const address = hostText.replace(/^\[(.*)\]$/, '$1')
  if ((isIPv4(address) || isIPv6(address)) && NETWORK.test(pathText)) {
    const network = parseAddressRange(`${address}${pathText}`)
    return network && { host: text, itself: false, below: false, network, path: undefined, text }
  }
  const prefix = pathText.replace(/\/\*$/, '')
  const path = prefix === '' || prefix === '/' ? undefined : parsePathPrefix(prefix)
  if (path === undefined && prefix.length > 1) return undefined
  if (hostText === '*') return { host: '', itself: false, below: true, network: undefined, path, text }
  const below = hostText.startsWith('*.') || hostText.startsWith('.')
  const itself = !hostText.startsWith('*.')
  const name = hostText.replace(/^\*?\./, '')
  const host = /:$/.test(name) && !name.endsWith('::') ? undefined : parseHost(name)
  if (host === undefined || (below && isAddress(host)) || isAbbreviated(name, host)) return undefined
  return { host, itself, below, network: undefined, path, text }
}

/** Reads a host, or one with all hosts below it, and nothing else: no port, no path, no `*`. */
export function parseWholeHost(text: string): HostPattern | undefined {
  return text.includes('/') || hasPort(text) || text.startsWith('*') ? undefined : parseHostPattern(text)
}

/** Whether an entry names a port. */
export function hasPort(text: string): boolean {
  const [hostText = ''] = text.split('/', 1)
  return !isIPv6(hostText) && hostText.replace(/^\[.*\]/, '').includes(':')
}

/** What makes an address a network, well-formed or not: a number that could be a prefix length, or a mask. */
const NETWORK = /^\/(?:[0-9]{1,3}|[0-9]+(?:\.[0-9]+){3})(?:\/|$)/

/** Whether it is an IPv4 address to the URL parser only: `192.168.1` would be 192.168.0.1. */
function isAbbreviated(name: string, host: string): boolean {
  return isIPv4(host) && !/^\[|:.*:/.test(name) && name.replace(/:[0-9]*$/, '').replace(/\.$/, '') !== host
}

/** The patterns of a rule, by host. */
export interface HostPatterns {
  readonly byHost: ReadonlyMap<string, readonly HostPattern[]>
  /** The numbers of labels of the shallowest and of the deepest host: other suffixes need not be looked up. */
  readonly shallowest: number
  readonly deepest: number
  /** Those that are networks. */
  readonly networks: readonly (HostPattern & { readonly network: AddressRange })[]
}

export function indexPatterns(patterns: readonly HostPattern[]): HostPatterns {
  return {
    byHost: Map.groupBy(patterns, ({ host }) => host),
    // Not `Math.max(…)`: a call has at most some 120,000 arguments.
    shallowest: patterns.reduce((least, { host }) => Math.min(least, labelsOf(host)), Infinity),
    deepest: patterns.reduce((most, { host }) => Math.max(most, labelsOf(host)), 0),
    networks: patterns.flatMap((one) => (one.network === undefined ? [] : [{ ...one, network: one.network }])),
  }
}

/** An address is one suffix. */
function labelsOf(host: string): number {
  if (host === '') return 0
  return isAddress(host) ? 1 : host.split('.').length
}

/** What patterns are compared with. */
interface Requested {
  /** Of the host, shortest first. */
  readonly suffixes: readonly string[]
  /** Only read where a pattern of the host has a path. */
  readonly path: UrlPath
}

/**
 * The most specific pattern that matches; `'ambiguous'` if that depends on an ambiguous path.
 * @param strict whether every reading of the path has to match
 */
export function findPattern(
  { byHost, shallowest, deepest, networks }: HostPatterns,
  requested: Requested,
  strict: boolean,
): HostPattern | 'ambiguous' | undefined {
  const { suffixes } = requested
  const last = suffixes.length - 1
  const network = networks.length === 0 ? undefined : findNetwork(networks, suffixes[last] ?? '')
  if (network !== undefined) return network
  let isAmbiguous = false
  for (let depth = Math.min(last, deepest - 1); depth >= shallowest - 1; depth--) {
    const patterns = byHost.get(suffixes[depth] ?? '')
    if (patterns === undefined) continue
    for (const pattern of patterns) {
      const matchesHost = depth === last ? pattern.itself : pattern.below
      if (!matchesHost) continue
      if (pattern.path === undefined) return pattern
      const { path } = requested
      if (path === 'ambiguous') isAmbiguous = true
      else if (isBelow(path, pattern.path, strict)) return pattern
    }
  }
  return isAmbiguous ? 'ambiguous' : undefined
}

function findNetwork(networks: HostPatterns['networks'], host: string): HostPattern | undefined {
  if (!isAddress(host)) return undefined
  const address = addressWords(host)
  return networks.find(({ network }) => isInRange(network, address))
}

/** Whether some host is matched by both; paths make no difference. */
export function overlap(one: HostPattern, other: HostPattern): boolean {
  if (one.network !== undefined || other.network !== undefined) return haveSameAddress(one, other)
  return one.host.length >= other.host.length ? isReached(one, other) : isReached(other, one)
}

function haveSameAddress(one: HostPattern, other: HostPattern): boolean {
  if (one.host === '' || other.host === '') return true
  const [range, second] = [one, other].map(
    ({ network, host }) => network ?? (isAddress(host) ? parseAddressRange(host) : undefined),
  )
  return range !== undefined && second !== undefined && (containsRange(range, second) || containsRange(second, range))
}

function isReached(deep: HostPattern, shallow: HostPattern): boolean {
  if (deep.host === shallow.host) return (deep.itself && shallow.itself) || (deep.below && shallow.below)
  return shallow.below && (shallow.host === '' || deep.host.endsWith(`.${shallow.host}`))
}
