// What was found about a person, in lines for people.
import { printable } from '../terminal/printable.ts'
import type { Gathered } from './gather.ts'
import type { Place } from './retention/place.ts'

/** In the order of the output. */
const PARTS = {
  stops: 'stopped requests in the journal',
  events: 'acknowledgements and other events',
  sessions: 'sessions',
  attempts: 'counts of wrong codes',
  permissions: 'temporary permissions',
  presences: 'reports of an address',
  redemptions: 'redeemed verdicts',
  memory: 'stopped requests in memory',
} as const
const WIDTH = 8

export function summaryLines({ engines, ledgers, unreachable, notes }: Gathered): readonly string[] {
  return [
    ...engines.flatMap(({ engine, count: { rows } }) => [
      `${engine}:`,
      ...Object.entries(PARTS).map(([part, words]) => row(rows[part as keyof typeof PARTS], words)),
    ]),
    ...ledgers.flatMap(({ ledger, acceptances }) => [
      `${ledger}:`,
      row(acceptances.length, 'acceptances of the policy'),
    ]),
    ...unreachable.map((why) => `NOT SEARCHED: ${why}`),
    ...notes,
  ].map(printable)
}

/** What commands cannot delete one person from, and until when it has her. */
export function elsewhereLines(places: readonly Place[]): readonly string[] {
  if (places.length === 0) {
    return ['No logs or backups of a gateway were found on this machine; other machines may have some.']
  }
  return [
    'Elsewhere, where nobody can be deleted alone:',
    ...places.map(({ what, where, kept, set }) =>
      kept === null ? `  ${what}: ${where}: without a limit; to set one: ${set}` : `  ${what}: ${where}: ${kept}`,
    ),
  ].map(printable)
}

export function foundRows({ engines, ledgers }: Gathered): number {
  const counts = engines.flatMap(({ count }) => Object.values(count.rows))
  return [...counts, ...ledgers.map(({ acceptances }) => acceptances.length)].reduce((sum, count) => sum + count, 0)
}

function row(count: number, words: string): string {
  return `${count.toLocaleString('en').padStart(WIDTH)}  ${words}`
}

export const partWords = PARTS
