// Entries: deletions and copies. The next head covers them, so that a removal without an entry is visible as such.
import type { EntryRecord, LeafRecord } from '../schema.ts'
import { leafHash } from './merkle.ts'

type Place = Pick<LeafRecord, 'portal' | 'head' | 'position'>

export function entryLeaf({ id, at, kind, before, acceptances, attempts, leaves, root }: EntryRecord): string {
  return leafHash(JSON.stringify(['entry-v1', id, at, kind, before, acceptances, attempts, leaves, root]))
}

/** Lists leaves by portal and head, with ranges of positions: `[["019…",7,"0-499,502"]]`. */
export function listLeaves(leaves: readonly Place[]): string {
  const byHead = Map.groupBy(leaves, ({ portal, head }) => JSON.stringify([portal, head]))
  const listed = [...byHead].map(([key, places]) => [
    ...JSON.parse(key),
    ranges(places.map(({ position }) => position)),
  ])
  return JSON.stringify(listed)
}

function ranges(positions: readonly number[]): string {
  const spans: [number, number][] = []
  for (const position of positions.toSorted((a, b) => a - b)) {
    const last = spans.at(-1)
    if (last !== undefined && position <= last[1] + 1) last[1] = position
    else spans.push([position, position])
  }
  return spans.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join()
}

/** The ranges that `listLeaves` wrote, by head (`headKey`); empty for any other text. */
export function parseLeaves(text: string): ReadonlyMap<string, readonly (readonly [number, number])[]> {
  const found = new Map<string, (readonly [number, number])[]>()
  try {
    for (const [portal, head, listed] of JSON.parse(text)) {
      const spans = `${listed}`.split(',').map((span) => span.split('-').map(Number))
      const key = headKey({ portal, head })
      found.set(key, [...(found.get(key) ?? []), ...spans.map(([from = -1, to = from]) => [from, to] as const)])
    }
    return found
  } catch {
    return new Map()
  }
}

export const headKey = ({ portal, head }: Pick<LeafRecord, 'portal' | 'head'>): string => `${portal} ${head}`
