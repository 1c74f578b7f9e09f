// Reads the ledger: the newest acceptances, a single one with its attempts and text, or all that match a filter. The
// statements are short, do not block the portal, and hold one batch in memory.

import { sql, type Transaction } from 'kysely'
import { DICTATED_REFERENCE } from '../../../../contract/reference.ts'
import { UNKNOWN_AFTER_MS } from '../../../../ledger/metrics.ts'
import {
  ACCEPTANCE_COLUMNS,
  type AcceptanceRecord,
  ATTEMPT_COLUMNS,
  type AttemptRecord,
  type DocumentRecord,
  LEAF_COLUMNS,
  type LeafRecord,
  type LedgerTables,
} from '../../../../ledger/schema.ts'
import type { AcceptanceState } from '../../../../ledger/state.ts'
import type { DatabaseLocation } from '../../../../settings/sections/database.ts'
import { type ExistingLedger, openExisting } from './existing-ledger.ts'

const BATCH = 500
/** Counting ten million rows takes PostgreSQL seven seconds. */
const COUNT_LIMIT = 10_000

/** Times are ISO 8601 in UTC with milliseconds, as stored. */
export interface AcceptanceFilter {
  /** The first `requested_at` included. */
  readonly since?: string | undefined
  /** The first `requested_at` excluded. */
  readonly until?: string | undefined
  readonly ruleName?: string | undefined
  readonly policyVersion?: string | undefined
  /** `unknown`: pending for more than 60 s. */
  readonly state?: AcceptanceState | 'unknown' | undefined
}

export interface AcceptanceWithAttempts extends AcceptanceRecord {
  /** In the order of their requests to the engine. */
  readonly attempt_records: readonly AttemptRecord[]
}

export interface AcceptanceWithLeaves extends AcceptanceWithAttempts {
  /** Of its attempts. */
  readonly leaves: readonly LeafRecord[]
}

export interface NewestAcceptances {
  readonly acceptances: readonly AcceptanceRecord[]
  /** At most COUNT_LIMIT. */
  readonly total: number
  readonly isTotalExact: boolean
}

export interface FoundAcceptance {
  readonly acceptance: AcceptanceWithAttempts
  /** Undefined if this database does not have the text. */
  readonly document: DocumentRecord | undefined
}

/** Every method rejects with LedgerUnavailable only. */
export interface LedgerReader {
  /** Newest first. */
  newest(filter: AcceptanceFilter, most: number): Promise<NewestAcceptances>
  /**
   * Yields batches, oldest first. Every acceptance that existed at the start is included once, as it is when its batch is
   * read. One that is recorded during the run may be included.
   */
  every(filter: AcceptanceFilter): AsyncGenerator<readonly AcceptanceRecord[]>
  everyWithAttempts(filter: AcceptanceFilter): AsyncGenerator<readonly AcceptanceWithAttempts[]>
  everyWithLeaves(): AsyncGenerator<readonly AcceptanceWithLeaves[]>
  /** Those with this `id` or `jti`; otherwise those whose `jti` begins so in capitals or small letters, the newest first. */
  find(idOrReference: string, most: number): Promise<readonly FoundAcceptance[]>
  documents(): Promise<readonly DocumentRecord[]>
  read: ExistingLedger['read']
  close(): Promise<void>
}

/**
 * Opens an existing ledger read-only.
 * @param clock milliseconds since the epoch
 * @throws {LedgerUnavailable} also if its schema is not up to date
 */
export async function openReader(location: DatabaseLocation, clock: () => number): Promise<LedgerReader> {
  const ledger = await openExisting(location, 'read only')

  async function* batches<T extends AcceptanceRecord>(
    filter: AcceptanceFilter,
    complete: (
      transaction: Transaction<LedgerTables>,
      acceptances: readonly AcceptanceRecord[],
    ) => Promise<readonly T[]>,
  ): AsyncGenerator<readonly T[]> {
    const last = await ledger.read('read acceptances', (transaction) =>
      newestFirst(transaction, filter, clock()).limit(1).executeTakeFirst(),
    )
    let previous: AcceptanceRecord | undefined
    while (last !== undefined) {
      const batch = await ledger.read('read acceptances', async (transaction) => {
        const acceptances = await oldestFirst(transaction, filter, clock(), previous, last).limit(BATCH).execute()
        return await complete(transaction, acceptances)
      })
      if (batch.length > 0) yield batch
      if (batch.length < BATCH) return
      previous = batch.at(-1)
    }
  }

  return {
    newest: (filter, most) =>
      ledger.read('read acceptances', async (transaction) => {
        const acceptances = await newestFirst(transaction, filter, clock()).limit(most).execute()
        const { counted } = await transaction
          .selectFrom(
            matching(transaction, filter, clock())
              .select(sql`1`.as('one'))
              .limit(COUNT_LIMIT + 1)
              .as('some'),
          )
          .select(({ fn }) => fn.countAll().as('counted'))
          .executeTakeFirstOrThrow()
        const total = Math.min(Number(counted), COUNT_LIMIT)
        return { acceptances, total, isTotalExact: Number(counted) === total }
      }),
    every: (filter) => batches(filter, async (_, acceptances) => acceptances),
    everyWithAttempts: (filter) => batches(filter, withAttempts),
    everyWithLeaves: () => batches({}, withLeaves),
    find: (idOrReference, most) =>
      ledger.read('read an acceptance', async (transaction) => {
        const acceptances = transaction.selectFrom('acceptance').select(ACCEPTANCE_COLUMNS)
        const exact = await acceptances
          .where((where) => where.or([where('id', '=', idOrReference), where('jti', '=', idOrReference)]))
          .execute()
        // Compared character by character: in LIKE, "_" would stand for any.
        const start = sql<string>`lower(substr(jti, 1, ${sql.lit(idOrReference.length)}))`
        const found =
          exact.length > 0 || !DICTATED_REFERENCE.test(idOrReference)
            ? exact
            : await acceptances
                .where(start, '=', idOrReference.toLowerCase())
                .orderBy('requested_at', 'desc')
                .limit(most)
                .execute()
        const documents = await transaction
          .selectFrom('document')
          .selectAll()
          .where('sha256', 'in', ['', ...found.map((one) => one.document_sha256)])
          .execute()
        return (await withAttempts(transaction, found)).map((acceptance) => ({
          acceptance,
          document: documents.find(({ sha256 }) => sha256 === acceptance.document_sha256),
        }))
      }),
    documents: () =>
      ledger.read('read documents', (transaction) =>
        transaction.selectFrom('document').selectAll().orderBy('sha256').execute(),
      ),
    read: ledger.read,
    close: () => ledger.close(),
  }
}

function matching(transaction: Transaction<LedgerTables>, filter: AcceptanceFilter, now: number) {
  const { since, until, ruleName, policyVersion, state } = filter
  let query = transaction.selectFrom('acceptance')
  if (since !== undefined) query = query.where('requested_at', '>=', since)
  if (until !== undefined) query = query.where('requested_at', '<', until)
  if (ruleName !== undefined) query = query.where('rule_name', '=', ruleName)
  if (policyVersion !== undefined) query = query.where('policy_version', '=', policyVersion)
  if (state === 'unknown') {
    return query
      .where('state', '=', 'pending')
      .where('requested_at', '<', new Date(now - UNKNOWN_AFTER_MS).toISOString())
  }
  return state === undefined ? query : query.where('state', '=', state)
}

function newestFirst(transaction: Transaction<LedgerTables>, filter: AcceptanceFilter, now: number) {
  return matching(transaction, filter, now)
    .select(ACCEPTANCE_COLUMNS)
    .orderBy('requested_at', 'desc')
    .orderBy('id', 'desc')
}

/** After `previous`, up to and including `last`. */
function oldestFirst(
  transaction: Transaction<LedgerTables>,
  filter: AcceptanceFilter,
  now: number,
  previous: AcceptanceRecord | undefined,
  last: AcceptanceRecord,
) {
  const query = matching(transaction, filter, now)
    .select(ACCEPTANCE_COLUMNS)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('requested_at', 'id'), '<=', tuple(last.requested_at, last.id)))
    .orderBy('requested_at')
    .orderBy('id')
  if (previous === undefined) return query
  return query.where(({ eb, refTuple, tuple }) =>
    eb(refTuple('requested_at', 'id'), '>', tuple(previous.requested_at, previous.id)),
  )
}

export async function withAttempts(
  transaction: Transaction<LedgerTables>,
  acceptances: readonly AcceptanceRecord[],
): Promise<readonly AcceptanceWithAttempts[]> {
  if (acceptances.length === 0) return []
  const references = acceptances.map(({ jti }) => jti)
  const attempts = await transaction
    .selectFrom('attempt')
    .select(['jti', ...ATTEMPT_COLUMNS])
    .where('jti', 'in', references)
    .orderBy('asked_at')
    .orderBy('id')
    .execute()
  const byReference = Map.groupBy(attempts, ({ jti }) => jti)
  return acceptances.map((acceptance) => ({
    ...acceptance,
    attempt_records: (byReference.get(acceptance.jti) ?? []).map(({ jti: _, ...attempt }) => attempt),
  }))
}

async function withLeaves(
  transaction: Transaction<LedgerTables>,
  acceptances: readonly AcceptanceRecord[],
): Promise<readonly AcceptanceWithLeaves[]> {
  if (acceptances.length === 0) return []
  const references = acceptances.map(({ jti }) => jti)
  const leaves = await transaction
    .selectFrom('attempt')
    .innerJoin('ledger_leaf', 'ledger_leaf.attempt_id', 'attempt.id')
    .select('attempt.jti')
    .select(LEAF_COLUMNS.map((column) => `ledger_leaf.${column}` as const))
    .where('attempt.jti', 'in', references)
    .execute()
  const byReference = Map.groupBy(leaves, ({ jti }) => jti)
  return (await withAttempts(transaction, acceptances)).map((acceptance) => ({
    ...acceptance,
    leaves: (byReference.get(acceptance.jti) ?? []).map(({ jti: _, ...leaf }) => leaf),
  }))
}
