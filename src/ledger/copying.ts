// From one ledger into another, of whatever dialect: for moving to PostgreSQL, or back. It may be stopped at any time and
// begun again; what the destination has already stays there, and nothing is deleted anywhere.
import { createHash } from 'node:crypto'
import type { Transaction } from 'kysely'
import type { LedgerLocation } from './database.ts'
import { type ExistingLedger, openExisting } from './existing-ledger.ts'
import { openLedger } from './ledger.ts'
import { line, merged } from './merging.ts'
import {
  ACCEPTANCE_COLUMNS,
  type AcceptanceWithAttempts,
  ATTEMPT_COLUMNS,
  type LedgerReader,
  openReader,
  withAttempts,
} from './reading.ts'
import type { DocumentRecord, LedgerTables } from './schema.ts'

/** Rows in one statement: below the parameters that either database takes. */
const ROWS = 1_000

/** What a batch, or all of them, did. */
interface Copied {
  /** Acceptances of the source. */
  readonly acceptances: number
  /** Those of them that the destination did not have. */
  readonly added: number
  /** Those that it had, and that the source knew more of. */
  readonly completed: number
}

export interface Verification {
  readonly acceptances: number
  readonly attempts: number
  readonly documents: number
  /** Of those acceptances with their attempts, the oldest first; the same unless the destination knows more of one. */
  readonly sha256: { readonly source: string; readonly destination: string }
  /** Acceptances that the destination lacks, knows less of, or contradicts: the verdicts' ids. */
  readonly differing: readonly string[]
  /** Texts that the destination lacks or that are not what their hash says. */
  readonly alteredDocuments: readonly string[]
}

/** Everything rejects with LedgerUnavailable or not at all. */
export interface LedgerCopier {
  /** The texts, then the acceptances, the oldest first; gives what each batch did, which is committed whole. */
  copy(): AsyncGenerator<Copied>
  /** Reads both again, and compares every value. */
  verify(): Promise<Verification>
  close(): Promise<void>
}

/**
 * @param to is made where it is not there yet
 * @throws {LedgerUnavailable}
 */
export async function openCopier(from: LedgerLocation, to: LedgerLocation, clock: () => number): Promise<LedgerCopier> {
  const source = await openReader(from, clock)
  try {
    await (await openLedger(to, { clock, migrate: true })).close()
    return copierOver(source, await openExisting(to, 'read write'), to.dialect)
  } catch (error) {
    await source.close()
    throw error
  }
}

function copierOver(
  source: LedgerReader,
  destination: ExistingLedger,
  dialect: LedgerLocation['dialect'],
): LedgerCopier {
  return {
    async *copy() {
      const documents = await source.documents()
      await destination.write('keep documents', (transaction) => keepDocuments(transaction, documents))
      for await (const batch of source.everyWithAttempts({})) {
        yield await destination.write('copy acceptances', (transaction) => copyBatch(transaction, dialect, batch))
      }
    },
    async verify() {
      const hashes = { source: createHash('sha256'), destination: createHash('sha256') }
      const differing: string[] = []
      let [acceptances, attempts] = [0, 0]
      for await (const batch of source.everyWithAttempts({})) {
        const known = await destination.read('read acceptances', (transaction) => theSame(transaction, batch))
        for (const acceptance of batch) {
          const copy = known.get(acceptance.jti)
          acceptances++
          attempts += acceptance.attempt_records.length
          hashes.source.update(line(acceptance))
          if (copy !== undefined) hashes.destination.update(line(copy))
          if (copy === undefined || !holds(copy, acceptance)) differing.push(acceptance.jti)
        }
      }
      const documents = await source.documents()
      const copies = await destination.read('read documents', (transaction) => kept(transaction))
      return {
        acceptances,
        attempts,
        documents: documents.length,
        sha256: { source: hashes.source.digest('hex'), destination: hashes.destination.digest('hex') },
        differing,
        alteredDocuments: documents.map(({ sha256 }) => sha256).filter((sha256) => sha256 !== copies.get(sha256)),
      }
    },
    async close() {
      await Promise.all([source.close(), destination.close()])
    },
  }
}

async function keepDocuments(transaction: Transaction<LedgerTables>, documents: readonly DocumentRecord[]) {
  for (const document of documents) {
    await transaction
      .insertInto('document')
      .values(document)
      .onConflict((conflict) => conflict.column('sha256').doNothing())
      .execute()
  }
}

async function copyBatch(
  transaction: Transaction<LedgerTables>,
  dialect: LedgerLocation['dialect'],
  batch: readonly AcceptanceWithAttempts[],
): Promise<Copied> {
  const known = await theSame(transaction, batch, dialect)
  const added = batch.filter(({ jti }) => !known.has(jti))
  if (added.length > 0) await transaction.insertInto('acceptance').values(added.map(columns)).execute()
  const completed: AcceptanceWithAttempts[] = []
  for (const acceptance of batch) {
    const copy = known.get(acceptance.jti)
    const whole = copy === undefined ? undefined : merged(acceptance, copy)
    // One that contradicts the other is left as it is: verifying finds it.
    if (copy === undefined || whole === undefined || line(whole) === line(copy)) continue
    completed.push(whole)
    await transaction.updateTable('acceptance').set(columns(whole)).where('jti', '=', whole.jti).execute()
  }
  const attempts = [...added, ...completed].flatMap(({ jti, attempt_records }) =>
    attempt_records.map((attempt) => ({ ...attempt, jti })),
  )
  for (let at = 0; at < attempts.length; at += ROWS) {
    await transaction
      .insertInto('attempt')
      .values(attempts.slice(at, at + ROWS))
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet(({ ref }) =>
            Object.fromEntries(ATTEMPT_COLUMNS.map((column) => [column, ref(`excluded.${column}`)])),
          ),
      )
      .execute()
  }
  return { acceptances: batch.length, added: added.length, completed: completed.length }
}

/** What the destination has of the same verdicts, by verdict; with a dialect, locked for a change. */
async function theSame(
  transaction: Transaction<LedgerTables>,
  batch: readonly AcceptanceWithAttempts[],
  dialect?: LedgerLocation['dialect'],
): Promise<ReadonlyMap<string, AcceptanceWithAttempts>> {
  const references = batch.map(({ jti }) => jti)
  let query = transaction.selectFrom('acceptance').select(ACCEPTANCE_COLUMNS).where('jti', 'in', references)
  if (dialect === 'postgres') query = query.forUpdate()
  return new Map((await withAttempts(transaction, await query.execute())).map((one) => [one.jti, one]))
}

/** The texts that are what their hash says. */
async function kept(transaction: Transaction<LedgerTables>): Promise<ReadonlyMap<string, string>> {
  const documents = await transaction.selectFrom('document').select(['sha256', 'text']).execute()
  return new Map(documents.map(({ sha256, text }) => [sha256, createHash('sha256').update(text).digest('hex')]))
}

/** Whether the copy has all that the record says, and nothing that contradicts it. */
function holds(copy: AcceptanceWithAttempts, record: AcceptanceWithAttempts): boolean {
  const whole = merged(record, copy)
  return whole !== undefined && line(whole) === line(copy)
}

function columns({ attempt_records: _, ...acceptance }: AcceptanceWithAttempts) {
  return acceptance
}
