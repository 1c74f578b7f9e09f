// The ledger of acceptances: never a session without a record. An attempt is committed before the engine is asked and
// completed after it (protocol v1, section 3); whatever goes wrong comes out as LedgerUnavailable, in time.
import type { Kysely, Transaction } from 'kysely'
import { type AcceptanceRequest, type Attempt, beginAttempt, completeAttempt } from './acceptances.ts'
import { type Admit, createAdmission } from './admission.ts'
import { connect, type LedgerLocation } from './database.ts'
import { type Durability, readDurability } from './durability.ts'
import { countWaiting, type LedgerTally, startTally, type Waiting } from './health.ts'
import { assertMigrated, migrate } from './migrations.ts'
import type { LedgerTables } from './schema.ts'
import type { Outcome } from './state.ts'
import { LedgerUnavailable, openingFailed } from './unavailable.ts'

const LIMIT = 2_000
/** PostgreSQL needs up to 30 s to carry a million attempts over (migration 004). */
const MIGRATION_LIMIT = 600_000
/** How many attempts may be being begun at once: fewer than the pool has connections. */
const BEGINNING_AT_ONCE = { sqlite: 2, postgres: 6 }
const PATIENCE = 1_500

/** A policy's text, kept once by its hash. */
interface KeptDocument {
  /** Hexadecimal. */
  readonly sha256: string
  readonly text: string
  readonly mediaType: string
  readonly locale: string
}

/** Every method takes at most about 2.5 s, or 4 s when many wait, and rejects with LedgerUnavailable unless it says otherwise. */
export interface Ledger {
  readonly durability: Durability
  readonly tally: LedgerTally
  /**
   * Commits a new attempt, and its acceptance unless there already. The engine is asked only when this resolves with an
   * attempt; `exhausted` means that the verdict has 50 of them, and nothing was recorded.
   * @param client whose requests share one queue when many wait for the database
   */
  beginAttempt(request: AcceptanceRequest, client?: string): Promise<Attempt | 'exhausted'>
  /** Commits what became of the attempt, and the state that follows. The first answer of an attempt stays. */
  completeAttempt(attempt: Attempt, outcome: Outcome): Promise<void>
  /** Keeps the text unless its hash is known. */
  keepDocument(document: KeptDocument): Promise<void>
  /** Never rejects; undefined when the database does not say. */
  waiting(): Promise<Waiting | undefined>
  /** Resolves when acceptances can be recorded. */
  ping(): Promise<void>
  /** Waits for what is under way; anything later is refused. */
  close(): Promise<void>
}

export interface LedgerOptions {
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Whether to bring the schema up to date; if not, it has to be. Only one process migrates an SQLite file. */
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
  const admit = createAdmission(BEGINNING_AT_ONCE[dialect], PATIENCE)
  const underWay = new Set<Promise<unknown>>()
  let closed = false

  /** `purpose` completes the sentence "the ledger could not …". */
  async function transact<T>(
    purpose: string,
    work: (transaction: Transaction<LedgerTables>) => Promise<T>,
    run: Admit = (transaction) => transaction(),
  ): Promise<T> {
    if (closed) throw new LedgerUnavailable(purpose, new Error('it is closed'))
    const transaction = run(() => db.transaction().execute(work))
    underWay.add(transaction)
    try {
      return await transaction
    } catch (error) {
      throw new LedgerUnavailable(purpose, error)
    } finally {
      underWay.delete(transaction)
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
          (transaction) => admit(transaction, client),
        )
      } catch (error) {
        writeFailures.attempts++
        throw error
      }
    },
    async completeAttempt(attempt, outcome) {
      // An attempt without an answer is what has been committed already.
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
      await Promise.allSettled(underWay)
      await close(db)
    },
  }
}

/** PostgreSQL stores no NUL and neither database half a surrogate pair: both refuse them, before anything is written. */
function assertStorable(record: object): void {
  for (const [member, value] of Object.entries(record)) {
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
      throw new Error(`${member} holds a character that cannot be stored`)
    }
  }
}

/** What did not end well has ended, too. */
async function close(db: Kysely<LedgerTables>): Promise<void> {
  await db.destroy().catch(() => {})
}
