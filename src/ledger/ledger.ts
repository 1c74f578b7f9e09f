// The ledger of acceptances: no session without a record. An attempt is committed before the request to the engine and
// completed after its response (protocol v1, section 3). Every failure, timeouts included, is a LedgerUnavailable.
import type { Kysely, Transaction } from 'kysely'
import { type AcceptanceRequest, type Attempt, beginAttempt, completeAttempt } from './acceptances.ts'
import { connect, type LedgerLocation } from './database.ts'
import { type Durability, readDurability } from './durability.ts'
import { createFairConcurrencyLimit, type FairConcurrencyLimit } from './fair-concurrency-limit.ts'
import { LedgerUnavailable, openingFailed } from './ledger-unavailable.ts'
import { countWaiting, type LedgerTally, startTally, type Waiting } from './metrics.ts'
import { assertMigrated, migrate } from './migrations.ts'
import type { LedgerTables } from './schema.ts'
import type { Outcome } from './state.ts'

const LIMIT = 2_000
/** PostgreSQL needs up to 30 s to carry a million attempts over (migration 004). */
const MIGRATION_LIMIT = 600_000
/** Fewer than the pool has connections, so that attempts can be completed meanwhile. */
const CONCURRENT_BEGINS = { sqlite: 2, postgres: 6 }
const QUEUE_TIMEOUT = 1_500

/** A policy's text, stored once by its hash. */
interface KeptDocument {
  /** Hexadecimal. */
  readonly sha256: string
  readonly text: string
  readonly mediaType: string
  readonly locale: string
}

/** Unless stated otherwise, methods take at most about 2.5 s, 4 s under overload, and reject with LedgerUnavailable only. */
export interface Ledger {
  readonly durability: Durability
  readonly tally: LedgerTally
  /**
   * Commits a new attempt, and its acceptance unless it exists. The request to the engine may be sent only after this
   * resolves with an attempt; `exhausted` means that the verdict has 50 attempts, and nothing was recorded.
   * @param client requests of the same client share one queue
   */
  beginAttempt(request: AcceptanceRequest, client?: string): Promise<Attempt | 'exhausted'>
  /** Commits the attempt's outcome and the acceptance's new state. An attempt keeps its first outcome. */
  completeAttempt(attempt: Attempt, outcome: Outcome): Promise<void>
  /** Stores the text unless its hash exists. */
  keepDocument(document: KeptDocument): Promise<void>
  /** Never rejects; undefined if the database fails. */
  waiting(): Promise<Waiting | undefined>
  /** Resolves if acceptances can be recorded. */
  ping(): Promise<void>
  /** Waits for transactions in progress; later calls reject. */
  close(): Promise<void>
}

export interface LedgerOptions {
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Whether to migrate the schema; without it the schema has to be up to date. */
  readonly migrate: boolean
  /** How many milliseconds a statement may take: 2,000 by default. */
  readonly limit?: number | undefined
}

/**
 * Connects, migrates or checks the schema, and asserts durability.
 * @throws {LedgerUnavailable}
 */
export async function openLedger(location: LedgerLocation, options: LedgerOptions): Promise<Ledger> {
  const limit = { milliseconds: MIGRATION_LIMIT }
  const db = connect(location, limit)
  try {
    await (options.migrate ? migrate(db, location.dialect) : assertMigrated(db))
    const durability = await readDurability(db, location)
    limit.milliseconds = options.limit ?? LIMIT
    return ledgerOver(db, location.dialect, durability, options.clock)
  } catch (error) {
    await close(db)
    throw openingFailed(location, error)
  }
}

/** The ledger over a connection whose schema is up to date. */
export function ledgerOver(
  db: Kysely<LedgerTables>,
  dialect: LedgerLocation['dialect'],
  durability: Durability,
  clock: () => number,
): Ledger {
  const now = () => new Date(clock()).toISOString()
  const tally = startTally()
  const { writeFailures } = tally
  const limitBegins = createFairConcurrencyLimit(CONCURRENT_BEGINS[dialect], QUEUE_TIMEOUT)
  const inProgress = new Set<Promise<unknown>>()
  let closed = false

  /** `purpose` completes the sentence "the ledger could not …". */
  async function transact<T>(
    purpose: string,
    work: (transaction: Transaction<LedgerTables>) => Promise<T>,
    run: FairConcurrencyLimit = (transaction) => transaction(),
  ): Promise<T> {
    if (closed) throw new LedgerUnavailable(purpose, new Error('it is closed'))
    const transaction = run(() => db.transaction().execute(work))
    inProgress.add(transaction)
    try {
      return await transaction
    } catch (error) {
      throw new LedgerUnavailable(purpose, error)
    } finally {
      inProgress.delete(transaction)
    }
  }

  return {
    durability,
    tally,
    async beginAttempt(request, client) {
      try {
        return await transact(
          'record an acceptance',
          async (transaction) => {
            assertStorable(request)
            return await beginAttempt(transaction, request, now())
          },
          (transaction) => limitBegins(transaction, client),
        )
      } catch (error) {
        writeFailures.attempts++
        throw error
      }
    },
    async completeAttempt(attempt, outcome) {
      // The committed attempt records exactly that already.
      if (outcome === 'none') return
      try {
        const decided = await transact('complete an attempt', (transaction) =>
          completeAttempt(transaction, dialect, attempt, outcome, now()),
        )
        if (decided !== undefined) tally[decided]++
      } catch (error) {
        writeFailures.answers++
        if (outcome === 302) writeFailures.redirects++
        throw error
      }
    },
    async keepDocument(document) {
      await transact('keep a document', async (transaction) => {
        assertStorable(document)
        await transaction
          .insertInto('document')
          .values({
            sha256: document.sha256,
            text: document.text,
            media_type: document.mediaType,
            locale: document.locale,
            kept_at: now(),
          })
          .onConflict((conflict) => conflict.column('sha256').doNothing())
          .execute()
      })
    },
    async waiting() {
      const counting = transact('count acceptances', (transaction) => countWaiting(transaction, clock()))
      return await counting.catch(() => undefined)
    },
    async ping() {
      await transact('be reached', (transaction) =>
        transaction.selectFrom('acceptance').select('id').limit(1).executeTakeFirst(),
      )
    },
    async close() {
      closed = true
      await Promise.allSettled(inProgress)
      await close(db)
    },
  }
}

/** PostgreSQL stores no NUL, and neither database a lone surrogate: both dialects reject them before they write. */
function assertStorable(record: object): void {
  for (const [member, value] of Object.entries(record)) {
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
      throw new Error(`${member} holds a character that cannot be stored`)
    }
  }
}

async function close(db: Kysely<LedgerTables>): Promise<void> {
  await db.destroy().catch(() => {})
}
