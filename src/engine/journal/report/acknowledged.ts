// What stopped the requests that visitors acknowledged. The reference joins the two databases: which list it was is only in the
// journal.
import { sql } from 'kysely'
import { DICTATED } from '../schema.ts'
import type { Accepted } from './events.ts'
import { type JournalTransaction, rowsOf, type Source } from './totals.ts'

export interface AcknowledgedSource extends Omit<Source, 'rule'> {
  /** Null where neither the event nor the journal has it. */
  readonly rule: string | null
  readonly acknowledgements: number
}

/** In one statement. */
const REFERENCES_AT_ONCE = 1_000

/** Where the journal does not have the stop any more, the event still has the rule. */
export async function acknowledgedBySource(
  transaction: JournalTransaction,
  accepted: readonly Accepted[],
): Promise<readonly AcknowledgedSource[]> {
  const totals = new Map<string, { source: Omit<AcknowledgedSource, 'acknowledgements'>; count: number }>()
  for (let at = 0; at < accepted.length; at += REFERENCES_AT_ONCE) {
    const part = accepted.slice(at, at + REFERENCES_AT_ONCE)
    const stops = await stopsOf(transaction, part)
    for (const { reference, rule } of part) {
      const source = stops.get(reference) ?? { rule, category: null, list: null }
      const key = JSON.stringify([source.rule, source.category, source.list])
      const total = totals.getOrInsertComputed(key, () => ({ source, count: 0 }))
      total.count++
    }
  }
  return [...totals.values()].map(({ source, count }) => ({ ...source, acknowledgements: count }))
}

/** A cross join, so that SQLite looks up each reference by the index: it would read every stop. */
async function stopsOf(
  transaction: JournalTransaction,
  accepted: readonly Accepted[],
): Promise<ReadonlyMap<string, Source>> {
  const references = accepted.map(({ reference }) => [reference, reference.slice(0, 8).toLowerCase()])
  const { rows } = await sql<Source & { readonly reference: string }>`
    with acknowledged (wanted, dictated) as (${rowsOf(references)})
    select reference, rule_name as rule, category, list_name as list from acknowledged
      cross join journal_stop where ${DICTATED} = dictated and reference = wanted
  `.execute(transaction)
  return new Map(rows.map(({ reference, rule, category, list }) => [reference, { rule, category, list }]))
}
