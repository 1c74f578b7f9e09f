// The machine-readable form of what was found about a person: for `--json`, and for a copy that she gets (GDPR, articles 15 and 20).
import type { Gathered } from './gather.ts'
import { elsewhereLines, summaryLines } from './summary.ts'

export function personDocument(gathered: Gathered, now: number): object {
  const { person, engines, ledgers, unreachable, elsewhere } = gathered
  return {
    format: 'gateway-person',
    version: 1,
    exported_at: new Date(now).toISOString(),
    person,
    /** For reading: the same in words. */
    summary: [...summaryLines(gathered), ...elsewhereLines(elsewhere)],
    complete: unreachable.length === 0,
    not_searched: unreachable,
    engines: engines.map(({ engine, count, rows, retention }) => {
      return { engine, person: count.person, groups: count.groups, ...rows, retention }
    }),
    ledgers: ledgers.map(({ ledger, acceptances }) => ({ ledger, acceptances })),
    elsewhere: elsewhere.map(({ what, where, kept }) => ({ what, where, kept })),
  }
}
