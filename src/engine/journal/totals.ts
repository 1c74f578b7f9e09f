// How many requests were allowed in one hour: from the differences of the process's counters, so that an allowed request costs
// nothing more. Stopped ones are counted where their rows are written.
import type { Tally } from '../monitoring/tally.ts'
import { categoriesOf, type DescribingPolicy, stored } from './rows.ts'

/** As `journal_total`, in the order of its columns. */
export type TotalRow = readonly [
  hour: number,
  verdict: string,
  rule: string,
  category: string,
  list: string,
  host: string,
  requests: number,
]
type TotalKey = readonly [hour: number, verdict: string, rule: string, category: string, list: string, host: string]

export interface Totals {
  add(key: TotalKey, requests: number): void
  rows(): readonly TotalRow[]
}

export function createTotals(): Totals {
  const byKey = new Map<string, { readonly key: TotalKey; requests: number }>()
  return {
    add(key, requests) {
      const text = key.join('\0')
      const known = byKey.get(text)
      if (known === undefined) byKey.set(text, { key, requests })
      else known.requests += requests
    },
    rows: () => [...byKey.values()].map(({ key, requests }) => [...key, requests]),
  }
}

/** Adds the requests that were allowed since the last call. */
export type AddAllowed = (totals: Totals, hour: number, policy: DescribingPolicy) => void

export function createAllowedCounter({ decisions }: Pick<Tally, 'decisions'>): AddAllowed {
  let before = new Map<string, number>()
  return (totals, hour, policy) => {
    const counts = new Map<string, number>()
    for (const [rule, byDoor] of decisions) {
      let count = 0
      for (const one of byDoor) if (one.verdict === 'allow') count += one.count
      if (count === 0) continue
      counts.set(rule, count)
      const known = before.get(rule) ?? 0
      // Fewer than before: the counts of a rule that had been removed begin again.
      const more = count < known ? count : count - known
      if (more === 0) continue
      totals.add([hour, 'allow', stored(rule), stored(categoriesOf(policy).get(rule) ?? ''), '', ''], more)
    }
    before = counts
  }
}
