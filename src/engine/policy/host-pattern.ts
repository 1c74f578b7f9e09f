// What an entry of `match` names: hosts, and a prefix of their paths.
import { isAddress, parseHost } from './host.ts'
import { isBelow, parsePathPrefix, type Readings, type UrlPath } from './url-path.ts'

export interface HostPattern {
  /** Canonical; empty for every host. */
  readonly host: string
  /** Whether it matches the host. */
  readonly itself: boolean
  /** Whether it matches the hosts below it. */
  readonly below: boolean
  readonly path: Readings | undefined
  /** As written in the file. */
  readonly text: string
}

/** Reads a pattern; a port is ignored. Undefined for anything else. */
export function parseHostPattern(text: string): HostPattern | undefined {
  const slash = text.indexOf('/')
  const hostText = slash === -1 ? text : text.slice(0, slash)
  const path = slash === -1 ? undefined : parsePathPrefix(text.slice(slash))
  if (slash !== -1 && path === undefined) return undefined
  if (hostText === '*') return { host: '', itself: false, below: true, path, text }
  const below = hostText.startsWith('*.') || hostText.startsWith('.')
  const itself = !hostText.startsWith('*.')
  const name = hostText.replace(/^\*?\./, '')
  const host = /:$/.test(name) && !name.endsWith('::') ? undefined : parseHost(name)
  if (host === undefined || (below && isAddress(host))) return undefined
  return { host, itself, below, path, text }
}

/** The patterns of a rule, by host. */
export interface HostPatterns {
  readonly byHost: ReadonlyMap<string, readonly HostPattern[]>
  /** The number of labels of the deepest host: longer names cannot match. */
  readonly deepest: number
}

export function indexPatterns(patterns: readonly HostPattern[]): HostPatterns {
  return {
    byHost: Map.groupBy(patterns, ({ host }) => host),
    // Not `Math.max(…)`: a call has at most some 120,000 arguments.
    deepest: patterns.reduce((most, { host }) => Math.max(most, host.split('.').length), 0),
  }
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
  { byHost, deepest }: HostPatterns,
  requested: Requested,
  strict: boolean,
): HostPattern | 'ambiguous' | undefined {
  const { suffixes } = requested
  const last = suffixes.length - 1
  let isAmbiguous = false
  for (let depth = Math.min(last, deepest - 1); depth >= -1; depth--) {
    for (const pattern of byHost.get(suffixes[depth] ?? '') ?? []) {
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

/** Whether some host is matched by both; paths make no difference. */
export function overlap(one: HostPattern, other: HostPattern): boolean {
  return one.host.length >= other.host.length ? isReached(one, other) : isReached(other, one)
}

function isReached(deep: HostPattern, shallow: HostPattern): boolean {
  if (deep.host === shallow.host) return (deep.itself && shallow.itself) || (deep.below && shallow.below)
  return shallow.below && (shallow.host === '' || deep.host.endsWith(`.${shallow.host}`))
}
