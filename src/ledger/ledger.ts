// The ledger of acceptances: no session without a record. An attempt is committed before the request to the engine and
// completed after its response (protocol v1, section 3). Every failure, timeouts included, is a LedgerUnavailable.
import type { Kysely } from 'kysely'
import type { Durability, Storage } from '../database/durability.ts'
import { createFairConcurrencyLimit } from '../database/fair-concurrency-limit.ts'
import { openDatabase } from '../database/open.ts'
import { createTransactions } from '../database/transactions.ts'
import type { DatabaseLocation } from '../settings/sections/database.ts'
import { type AcceptanceRequest, type Attempt, beginAttempt, completeAttempt, tryRecording } from './acceptances.ts'
import { type Appended, appendHead } from './heads/append.ts'
import type { HeadSigner } from './heads/head.ts'
import { LedgerUnavailable, openingFailed } from './ledger-unavailable.ts'
import { countWaiting, type LedgerTally, startTally, type Waiting } from './metrics.ts'
import { LEDGER_SCHEMA } from './migrations.ts'
import type { LedgerTables } from './schema.ts'
import type { Outcome } from './state.ts'

const STATEMENT_TIMEOUT_MS = 2_000
/** Fewer than the pool has connections, so that attempts can be completed meanwhile. */
const CONCURRENT_BEGINS = { sqlite: 2, postgres: 6 }
const QUEUE_TIMEOUT_MS = 1_500

const TO_KEEP_THEM =
  'to keep them, set GATEWAY_CAPTIVE_DATABASE_URL=sqlite:////var/lib/portal/portal.db (on a volume) or to a ' +
  'postgresql:// URL'
export const MEMORY_BACKED = `the ledger is memory-backed: acceptances are lost with the container (on a host, with its next start); ${TO_KEEP_THEM}`
export const IN_TEMPORARY_FOLDER = `the ledger is in a folder for temporary files: acceptances are lost when the system empties it; ${TO_KEEP_THEM}`

/** The portal's warning at the start, and the notice of `gatewayctl`; undefined if acceptances are kept. */
export function storageNotice({ memoryBacked, inTemporaryFolder }: Storage): string | undefined {
  if (memoryBacked) return MEMORY_BACKED
  return inTemporaryFolder ? IN_TEMPORARY_FOLDER : undefined
}

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
  /**
   * Appends a head over at most 500 attempts that no head covers, of at most 1,000 acceptances.
   * @param continueAt of the head before, in the same run
   */
  appendHead(signer: HeadSigner, continueAt?: string): Promise<Appended>
  /** Never rejects; undefined if the database fails. */
  waiting(): Promise<Waiting | undefined>
  /** Writes: resolves if acceptances can be recorded. */
  ping(): Promise<void>
  /** Waits for transactions in progress; later calls reject. */
  close(): Promise<void>
}

export interface LedgerOptions {
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Milliseconds of a clock that nobody sets; for tests. */
  readonly monotonic?: () => number
  /** Whether to migrate the schema; without it the schema has to be up to date. */
  readonly migrate: boolean
  /** How many milliseconds a statement may take: 2,000 by default. */
  readonly limit?: number | undefined
}

/**
 * Connects, migrates or checks the schema, and asserts durability.
 * @throws {LedgerUnavailable}
 */
export async function openLedger(location: DatabaseLocation, options: LedgerOptions): Promise<Ledger> {
  const { migrate, limit = STATEMENT_TIMEOUT_MS } = options
  const { db, durability } = await openDatabase<LedgerTables>(location, {
    schema: LEDGER_SCHEMA,
    migrate,
    limit,
  }).catch((error: unknown) => {
    throw openingFailed(location, error)
  })
  return ledgerOver(db, location.dialect, durability, options)
}

/** The ledger over a connection whose schema is up to date. */
export function ledgerOver(
  db: Kysely<LedgerTables>,
  dialect: DatabaseLocation['dialect'],
  durability: Durability,
  { clock, monotonic = () => performance.now() }: Pick<LedgerOptions, 'clock' | 'monotonic'>,
): Ledger {
  const now = () => new Date(clock()).toISOString()
  const tally = startTally()
  const { writeFailures } = tally
  const limitBegins = createFairConcurrencyLimit(CONCURRENT_BEGINS[dialect], QUEUE_TIMEOUT_MS)
  const transactions = createTransactions(db, LedgerUnavailable)
  const transact = transactions.run
  /** By the monotonic clock. */
  let lastAppended: number | undefined

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
    async appendHead(signer, continueAt) {
      const [now, elapsed] = [clock(), monotonic()]
      const times = { now, last: now - (elapsed - (lastAppended ?? elapsed)) }
      const appended = await transact('append a head', (transaction) =>
        appendHead(transaction, dialect, signer, times, continueAt),
      )
      if (appended.head !== undefined) lastAppended = elapsed
      return appended
    },
    async waiting() {
      const counting = transact('count acceptances', (transaction) => countWaiting(transaction, clock()))
      return await counting.catch(() => undefined)
    },
    async ping() {
      await transact('be written', (transaction) => tryRecording(transaction, now()))
    },
    close: () => transactions.close(),
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
