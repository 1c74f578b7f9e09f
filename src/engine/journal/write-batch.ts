// Writes a batch in one transaction. Its rows are one parameter, in JSON: with a parameter for each value, composing the statement
// cost more than all else.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { DatabaseLocation } from '../../settings/sections/database.ts'
import type { AllowedRow } from './allowed.ts'
import type { StopRow } from './rows.ts'
import type { JournalTables } from './schema.ts'

export interface Batch {
  readonly stops: readonly StopRow[]
  readonly allowed: readonly AllowedRow[]
}

type Dialect = DatabaseLocation['dialect']

/** A table `e` with one column `value`: the elements of an array, each an array itself. */
export function elements(dialect: Dialect, rows: readonly (readonly unknown[])[]): RawBuilder<unknown> {
  const json = JSON.stringify(rows)
  return dialect === 'sqlite' ? sql`json_each(${json}) as e` : sql`json_array_elements(${json}::json) as e(value)`
}

export async function writeBatch(
  transaction: Transaction<JournalTables>,
  dialect: Dialect,
  { stops, allowed }: Batch,
): Promise<void> {
  if (stops.length > 0) {
    const rows = elements(dialect, stops)
    await sql`
      insert into journal_stop (at, reference, verdict, rule_name, category, list_name, entry, host, client, user_name,
        group_name, key_id)
      select cast(e.value->>0 as bigint), e.value->>1, e.value->>2, e.value->>3, e.value->>4, e.value->>5, e.value->>6,
        e.value->>7, e.value->>8, e.value->>9, e.value->>10, cast(e.value->>11 as integer)
      from ${rows}
    `.execute(transaction)
    await addTotals(
      transaction,
      sql`select cast(e.value->>12 as bigint), e.value->>2, e.value->>3, coalesce(e.value->>4, ''),
        coalesce(e.value->>5, ''), coalesce(e.value->>7, ''), count(*) from ${rows} group by 1, 2, 3, 4, 5, 6`,
    )
  }
  if (allowed.length === 0) return
  await addTotals(
    transaction,
    sql`select cast(e.value->>0 as bigint), 'allow', e.value->>1, e.value->>2, '', '', cast(e.value->>3 as bigint)
      from ${elements(dialect, allowed)}`,
  )
}

/** Sorted by key: engines that write the same rows in another order would block each other. */
async function addTotals(transaction: Transaction<JournalTables>, rows: RawBuilder<unknown>): Promise<void> {
  await sql`
    insert into journal_total (hour, verdict, rule_name, category, list_name, host, requests)
    ${rows} order by 1, 2, 3, 4, 5, 6
    on conflict (hour, verdict, rule_name, category, list_name, host)
    do update set requests = journal_total.requests + excluded.requests
  `.execute(transaction)
}

/** Whether these rows are there: after a failure it may be unknown whether the transaction was committed. */
export async function isWritten(transaction: Transaction<JournalTables>, { stops }: Batch): Promise<boolean> {
  const [first] = stops
  if (first === undefined) return false
  const [at, reference] = first
  const found = await transaction
    .selectFrom('journal_stop')
    .select('reference')
    .where('at', '=', at)
    .where('reference', '=', reference)
    .executeTakeFirst()
  return found !== undefined
}

/** Whether the database refuses the rows themselves, so that trying again is useless: by SQLSTATE's class, or SQLite's code. */
export function isRefusal(error: unknown): boolean {
  const { code, errcode } = Object(error)
  if (typeof errcode === 'number') return [18, 19, 20].includes(errcode & 0xff)
  return typeof code === 'string' && /^(22|23|54|P0)...$/.test(code)
}
