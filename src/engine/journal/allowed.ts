// How many requests were allowed in one hour: from the differences of the process's counters, so that an allowed request costs
// nothing more. Stopped ones are counted where their rows are written.
import type { Tally } from '../monitoring/tally.ts'
import { categoriesOf, type DescribingPolicy, stored } from './rows.ts'

/** A row of `journal_total` for allowed requests, which have neither list nor host. */
export type AllowedRow = readonly [hour: number, rule: string, category: string, requests: number]

export interface AllowedTotals {
  /** Adds the requests that were allowed since the last call. */
  update(hour: number, policy: DescribingPolicy): void
  /** What was added, which is removed. */
  take(): readonly AllowedRow[]
}

export function createAllowedTotals({ decisions }: Pick<Tally, 'decisions'>): AllowedTotals {
  let before = new Map<string, number>()
  const rows = new Map<string, AllowedRow>()
  return {
    update(hour, policy) {
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
        const key = [hour, stored(rule), stored(categoriesOf(policy).get(rule) ?? '')] as const
        const text = key.join('\0')
        rows.set(text, [...key, more + (rows.get(text)?.[3] ?? 0)])
      }
      before = counts
    },
    take() {
      const taken = [...rows.values()]
      rows.clear()
      return taken
    },
  }
}
