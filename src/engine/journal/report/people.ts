// Who was stopped most often in a period. Only where a report is asked for people.
import { sql } from 'kysely'
import type { Period } from './period.ts'
import type { JournalTransaction } from './totals.ts'

export interface PersonTotal {
  readonly name: string
  /** Whether it is a pseudonym; as long as its key exists, `engine stopped` finds its rows by the person's name. */
  readonly pseudonym: boolean
  readonly requests: number
}

/** Most first. */
export async function stopsByPerson(
  transaction: JournalTransaction,
  { since, until }: Period,
  column: 'user_name' | 'client' | 'group_name',
  limit: number,
): Promise<readonly PersonTotal[]> {
  const name = sql.ref(column)
  const { rows } = await sql<{ name: string; key_id: number | null; requests: number | string }>`
    select ${name} as name, max(key_id) as key_id, count(*) as requests from journal_stop
    where at >= ${since} and at < ${until} and ${name} is not null
    group by ${name} order by requests desc, name limit ${limit}
  `.execute(transaction)
  const isPerson = column !== 'group_name'
  return rows.map((row) => ({
    name: row.name,
    pseudonym: isPerson && row.key_id !== null,
    requests: Number(row.requests),
  }))
}
