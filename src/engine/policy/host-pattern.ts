// What an entry of `match` names: hosts, and a prefix of their paths.
import { isAddress, parseHost } from './host.ts'
import { isBelow, parsePathPrefix, type UrlPath } from './url-path.ts'

export interface HostPattern {
  /** Canonical; empty for every host. */
  readonly host: string
  /** Whether it matches the host. */
  readonly itself: boolean
  /** Whether it matches the hosts below it. */
  readonly below: boolean
  readonly path: UrlPath | undefined
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
    deepest: Math.max(...patterns.map(({ host }) => host.split('.').length)),
  }
}

/**
 * The most specific pattern that matches.
 * @param suffixes of the host, shortest first
 * @param strict whether both forms of the path have to match
 */
export function findPattern(
  { byHost, deepest }: HostPatterns,
  suffixes: readonly string[],
  path: UrlPath,
  strict: boolean,
): HostPattern | undefined {
  const last = suffixes.length - 1
  for (let depth = Math.min(last, deepest - 1); depth >= -1; depth--) {
    for (const pattern of byHost.get(suffixes[depth] ?? '') ?? []) {
      const matchesHost = depth === last ? pattern.itself : pattern.below
      if (matchesHost && (pattern.path === undefined || isBelow(path, pattern.path, strict))) return pattern
    }
  }
  return undefined
}

/** Whether some host is matched by both; paths make no difference. */
export function overlap(one: HostPattern, other: HostPattern): boolean {
  return one.host.length >= other.host.length ? isReached(one, other) : isReached(other, one)
}

function isReached(deep: HostPattern, shallow: HostPattern): boolean {
  if (deep.host === shallow.host) return (deep.itself && shallow.itself) || (deep.below && shallow.below)
  return shallow.below && (shallow.host === '' || deep.host.endsWith(`.${shallow.host}`))
}
