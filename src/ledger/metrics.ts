// The ledger's metrics. Pending acceptances are counted in the database, everything else in this process: counting
// millions of rows would take longer than an acknowledgement may.
import { sql, type Transaction } from 'kysely'
import type { LedgerTables } from './schema.ts'

/** A pending acceptance older than this, in milliseconds, has an unknown outcome. */
export const UNKNOWN_AFTER_MS = 60_000
/** Bounds the query's time. An alert needs no higher figure. */
const COUNT_LIMIT = 100_000

/** Acceptances without an outcome, of all replicas; counted up to 100,000. */
export interface Waiting {
  readonly pending: number
  /** Pending for more than 60 s. */
  readonly unknown: number
}

/** Live counters of this process since its start. */
export interface LedgerTally {
  /** Acceptances that became accepted. All replicas together count each once. */
  readonly accepted: number
  /** Acceptances that became refused; a retried one may be counted again. */
  readonly refused: number
  readonly writeFailures: WriteFailures
}

interface WriteFailures {
  /** Attempts that were not recorded: the visitor got a 503, and the engine no request. */
  readonly attempts: number
  /** Outcomes that were not recorded: the acceptance stays pending. */
  readonly answers: number
  /** The 302s among `answers`: the session exists, its acceptance stays pending. */
  readonly redirects: number
}

/** The writable counters. */
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
  const unknownBefore = new Date(now - UNKNOWN_AFTER_MS).toISOString()
  // The index `acceptance_by_state` covers this query, in this order.
  return await transaction
    .selectFrom((oldest) =>
      oldest
        .selectFrom('acceptance')
        .select('requested_at')
        .where('state', '=', 'pending')
        .orderBy('requested_at')
        .limit(COUNT_LIMIT)
        .as('oldest'),
    )
    .select([
      sql<number>`cast(count(*) as integer)`.as('pending'),
      sql<number>`cast(count(case when requested_at < ${unknownBefore} then 1 end) as integer)`.as('unknown'),
    ])
    .executeTakeFirstOrThrow()
}
