// What an operator watches. What waits is asked of the database; all else is counted by this process as it happens,
// because counting millions of rows would take a database longer than an acknowledgement may.
import { sql, type Transaction } from 'kysely'
import type { LedgerTables } from './schema.ts'

/** A pending acceptance older than this, in milliseconds, has an unknown outcome. */
export const UNKNOWN_AFTER = 60_000
/** What bounds the time of counting: the oldest are counted, and more than these are "too many" just the same. */
const COUNTED_AT_MOST = 100_000

/** Acceptances without an outcome, whichever replica recorded them; counted up to 100,000. */
export interface Waiting {
  readonly pending: number
  /** Those of `pending` that are older than 60 s. */
  readonly unknown: number
}

/** What this process has seen since it started; it goes on counting. */
export interface LedgerTally {
  /** Acceptances that became accepted. Over all processes, each is counted once. */
  readonly accepted: number
  /** Acceptances that became refused; one that is tried again may be counted again. */
  readonly refused: number
  readonly writeFailures: WriteFailures
}

/** What the database did not take. */
interface WriteFailures {
  /** Acknowledgements: the visitor got a 503, and the engine was not asked. */
  readonly attempts: number
  /** The engine's answers: the acceptance stays pending. */
  readonly answers: number
  /** Those of `answers` that were a 302: there is a session, and its acceptance stays pending. */
  readonly redirects: number
}

/** The same, for who counts. */
export interface RunningTally extends LedgerTally {
  accepted: number
  refused: number
  readonly writeFailures: { -readonly [Kind in keyof WriteFailures]: number }
}

export function startTally(): RunningTally {
  return { accepted: 0, refused: 0, writeFailures: { attempts: 0, answers: 0, redirects: 0 } }
}

/** @param now milliseconds since the epoch */
export async function countWaiting(transaction: Transaction<LedgerTables>, now: number): Promise<Waiting> {
  const unknownBefore = new Date(now - UNKNOWN_AFTER).toISOString()
  // The index `acceptance_by_state` holds all of it, and in this order.
  return await transaction
    .selectFrom((oldest) =>
      oldest
        .selectFrom('acceptance')
        .select('requested_at')
        .where('state', '=', 'pending')
        .orderBy('requested_at')
        .limit(COUNTED_AT_MOST)
        .as('oldest'),
    )
    .select([
      sql<number>`cast(count(*) as integer)`.as('pending'),
      sql<number>`cast(count(case when requested_at < ${unknownBefore} then 1 end) as integer)`.as('unknown'),
    ])
    .executeTakeFirstOrThrow()
}
