// Deletes what has expired, in batches, next to running engines.
import { sql } from 'kysely'
import type { Transactions } from '../../database/transactions.ts'
import type { DatabaseClock } from './database-clock.ts'
import type { StateTables } from './schema.ts'

/** Engines that were disconnected for a shorter time still find the sessions and reports that were ended meanwhile. */
export const KEPT_MS = 3_600_000

const BATCH = 500
const EXPIRING = {
  engine_session: ['holder', 'rule_name'],
  engine_attempt: ['holder', 'rule_name'],
  engine_redemption: ['reference'],
  engine_permission: ['id'],
  engine_scoped_permission: ['id'],
  engine_presence: ['client_address'],
  engine_switch: ['switch_name', 'network'],
  engine_lesson_code: ['id'],
  engine_url: ['digest'],
} as const

const KEPT: ReadonlySet<string> = new Set(['engine_session', 'engine_redemption', 'engine_presence'])

/**
 * Each batch is one transaction.
 * @throws {StateUnavailable}
 */
export async function prune(transactions: Transactions<StateTables>, clock: DatabaseClock): Promise<void> {
  for (const [table, columns] of Object.entries(EXPIRING)) {
    // The clock of an engine that redeems a verdict may be slow.
    const kept = KEPT.has(table) ? KEPT_MS : 0
    const key = sql.join(columns.map((column) => sql.ref(column)))
    const until = sql`${clock.now()} - ${sql.lit(kept)}`
    // Of ended sessions the time is negative.
    const expired = sql`expires_at between -(${until}) and ${until}`
    let deleted: bigint | undefined
    do {
      const result = await transactions.run('delete what has expired', (transaction) =>
        sql`
          delete from ${sql.table(table)} where (${key}) in
            (select ${key} from ${sql.table(table)} where ${expired} limit ${sql.lit(BATCH)})
            and ${expired}
        `.execute(transaction),
      )
      deleted = result.numAffectedRows
    } while (deleted === BigInt(BATCH))
  }
}
