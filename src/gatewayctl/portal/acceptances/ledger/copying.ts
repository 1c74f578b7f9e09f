// Copies one ledger into another, with its heads, in any combination of dialects: for moving to PostgreSQL, or back, and for backups. It can be
// interrupted and repeated: existing records stay in the destination, and nothing is deleted, whatever the source has deleted.
import { createHash } from 'node:crypto'
import type { Transaction } from 'kysely'
import { pick } from '../../../../ledger/derive-acceptance.ts'
import { lockHeads } from '../../../../ledger/heads/append.ts'
import { headKey } from '../../../../ledger/heads/entry.ts'
import { openLedger } from '../../../../ledger/ledger.ts'
import {
  ACCEPTANCE_COLUMNS,
  ATTEMPT_COLUMNS,
  type DocumentRecord,
  type LedgerTables,
} from '../../../../ledger/schema.ts'
import type { DatabaseLocation } from '../../../../settings/sections/database.ts'
import {
  type CopiedGroups,
  copyEntries,
  copyHeads,
  copyLeaves,
  coverCopied,
  groupsToCopy,
  keepBeforeMerge,
  leavesOf,
  leavesWithoutAttempt,
} from './copying-heads.ts'
import { type ExistingLedger, openExisting } from './existing-ledger.ts'
import { mergeAcceptances, serialize } from './merging.ts'
import {
  type AcceptanceWithAttempts,
  type AcceptanceWithLeaves,
  type LedgerReader,
  openReader,
  withAttempts,
} from './reading.ts'

/** Stays below the limit on parameters of a statement in both databases. */
const ROWS_PER_INSERT = 1_000

interface BatchResult {
  /** Acceptances of the source. */
  readonly acceptances: number
  /** Acceptances that were missing in the destination. */
  readonly added: number
  /** Acceptances that existed there with fewer attempts or outcomes. */
  readonly completed: number
}

export interface Verification {
  readonly acceptances: number
  readonly attempts: number
  readonly documents: number
  /** Acceptances of the destination that the source does not have, for example because it has deleted them. */
  readonly onlyInDestination: number
  /** Of those acceptances with their attempts, the oldest first; equal unless the destination has more of one. */
  readonly sha256: { readonly source: string; readonly destination: string }
  /** The verdicts' ids of acceptances that are missing, incomplete or contradictory in the destination. */
  readonly differing: readonly string[]
  /** Hashes of texts that are missing or altered in the destination. */
  readonly alteredDocuments: readonly string[]
}

/** Every method rejects with LedgerUnavailable only. */
export interface LedgerCopier {
  /** Copies the texts, the acceptances, the oldest first, and the evidence. Yields after each batch, which is one transaction. */
  copy(): AsyncGenerator<BatchResult>
  /** Reads both ledgers again and compares every value; what was recorded or answered since `copy()` is copied first. */
  verify(): Promise<Verification>
  close(): Promise<void>
}

/**
 * @param to is created if it does not exist
 * @throws {LedgerUnavailable}
 */
export async function openCopier(
  from: DatabaseLocation,
  to: DatabaseLocation,
  clock: () => number,
): Promise<LedgerCopier> {
  const source = await openReader(from, clock)
  try {
    await (await openLedger(to, { clock, migrate: true })).close()
    return copierOver(source, await openExisting(to, 'read write'), to.dialect, clock)
  } catch (error) {
    await source.close()
    throw error
  }
}

function copierOver(
  source: LedgerReader,
  destination: ExistingLedger,
  dialect: DatabaseLocation['dialect'],
  clock: () => number,
): LedgerCopier {
  return {
    async *copy() {
      await copyTexts()
      const groups = await source.read('read heads', groupsToCopy)
      for await (const batch of source.everyWithLeaves()) yield await copyRecords(batch, groups)
      await copyEvidence(groups)
    },
    async verify() {
      const documents = await copyTexts()
      const hashes = { source: createHash('sha256'), destination: createHash('sha256') }
      const differing: string[] = []
      let [acceptances, attempts, found] = [0, 0, 0]
      for await (const batch of source.everyWithAttempts({})) {
        let copies = await copiesOf(batch)
        const changed = batch.filter((acceptance) => !includes(copies.get(acceptance.jti), acceptance))
        if (changed.length > 0) {
          await copyTexts()
          const withoutLeaves = changed.map((acceptance) => ({ ...acceptance, leaves: [] }))
          await copyRecords(withoutLeaves, { heads: [], keys: new Set() })
          copies = await copiesOf(batch)
        }
        for (const acceptance of batch) {
          const copy = copies.get(acceptance.jti)
          acceptances++
          attempts += acceptance.attempt_records.length
          hashes.source.update(serialize(acceptance))
          if (copy !== undefined) {
            found++
            hashes.destination.update(serialize(copy))
          }
          if (!includes(copy, acceptance)) differing.push(acceptance.jti)
        }
      }
      const total = await destination.read('count acceptances', countAcceptances)
      const computed = await destination.read('read documents', (transaction) => computedHashes(transaction))
      return {
        acceptances,
        attempts,
        documents: documents.length,
        // A record may be deleted there at the same time.
        onlyInDestination: Math.max(0, total - found),
        sha256: { source: hashes.source.digest('hex'), destination: hashes.destination.digest('hex') },
        differing,
        alteredDocuments: documents.map(({ sha256 }) => sha256).filter((sha256) => sha256 !== computed.get(sha256)),
      }
    },
    async close() {
      await Promise.all([source.close(), destination.close()])
    },
  }

  async function copyTexts(): Promise<readonly DocumentRecord[]> {
    const documents = await source.documents()
    await destination.write('keep documents', (transaction) => copyDocuments(transaction, documents))
    return documents
  }

  async function copyRecords(batch: readonly AcceptanceWithLeaves[], groups: CopiedGroups): Promise<BatchResult> {
    return await destination.write('copy acceptances', async (transaction) => {
      await lockHeads(transaction, dialect)
      const result = await copyBatch(transaction, dialect, batch, groups)
      const references = batch.map(({ jti }) => jti)
      await coverCopied(transaction, references, new Date(clock()).toISOString())
      return result
    })
  }

  async function copiesOf(batch: readonly AcceptanceWithAttempts[]) {
    return await destination.read('read acceptances', (transaction) => findCopies(transaction, batch))
  }

  /** Last, because a deletion in between leaves an entry that explains a missing attempt. */
  async function copyEvidence({ heads, keys }: CopiedGroups): Promise<void> {
    const portals = new Set([...keys].map((key) => key.split(' ')[0] ?? ''))
    for (const portal of portals) {
      const all = await source.read('read leaves', (transaction) => leavesWithoutAttempt(transaction, portal))
      const leaves = all.filter((leaf) => keys.has(headKey(leaf)))
      await destination.write('copy leaves', (transaction) => copyLeaves(transaction, leaves))
    }
    const entries = await source.read('read entries', (transaction) =>
      transaction.selectFrom('ledger_entry').selectAll().execute(),
    )
    const copied = entries.filter(({ id, kind }) => kind !== 'copy' || keys.has(headKey({ portal: id, head: 0 })))
    await destination.write('copy heads', async (transaction) => {
      await copyEntries(transaction, copied)
      await copyHeads(transaction, heads)
    })
  }
}

async function copyDocuments(transaction: Transaction<LedgerTables>, documents: readonly DocumentRecord[]) {
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
  dialect: DatabaseLocation['dialect'],
  batch: readonly AcceptanceWithLeaves[],
  groups: CopiedGroups,
): Promise<BatchResult> {
  const copies = await findCopies(transaction, batch, dialect)
  const added = batch.filter(({ jti }) => !copies.has(jti))
  if (added.length > 0) await transaction.insertInto('acceptance').values(added.map(columns)).execute()
  const completed: AcceptanceWithAttempts[] = []
  for (const acceptance of batch) {
    const copy = copies.get(acceptance.jti)
    const whole = copy === undefined ? undefined : mergeAcceptances(acceptance, copy)
    // A contradictory copy stays as it is: verify() reports it.
    if (copy === undefined || whole === undefined || serialize(whole) === serialize(copy)) continue
    completed.push(whole)
    if (whole.id !== copy.id) await keepBeforeMerge(transaction, copy)
    await transaction.updateTable('acceptance').set(columns(whole)).where('jti', '=', whole.jti).execute()
  }
  const attempts = [...added, ...completed].flatMap(({ jti, attempt_records }) =>
    attempt_records.map((attempt) => ({ ...attempt, jti })),
  )
  for (let at = 0; at < attempts.length; at += ROWS_PER_INSERT) {
    await transaction
      .insertInto('attempt')
      .values(attempts.slice(at, at + ROWS_PER_INSERT))
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet(({ ref }) =>
            Object.fromEntries(ATTEMPT_COLUMNS.map((column) => [column, ref(`excluded.${column}`)])),
          ),
      )
      .execute()
  }
  const kept = new Map([...copies.values(), ...completed].map(({ jti, id }) => [jti, id]))
  await copyLeaves(transaction, leavesOf(batch, groups, kept))
  return { acceptances: batch.length, added: added.length, completed: completed.length }
}

/** The destination's acceptances of the same verdicts, by verdict; with a dialect, locked for an update. */
async function findCopies(
  transaction: Transaction<LedgerTables>,
  batch: readonly AcceptanceWithAttempts[],
  dialect?: DatabaseLocation['dialect'],
): Promise<ReadonlyMap<string, AcceptanceWithAttempts>> {
  const references = batch.map(({ jti }) => jti)
  let query = transaction.selectFrom('acceptance').select(ACCEPTANCE_COLUMNS).where('jti', 'in', references)
  if (dialect === 'postgres') query = query.forUpdate()
  return new Map((await withAttempts(transaction, await query.execute())).map((one) => [one.jti, one]))
}

async function countAcceptances(transaction: Transaction<LedgerTables>): Promise<number> {
  const { total } = await transaction
    .selectFrom('acceptance')
    .select(({ fn }) => fn.countAll().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/** The hash of each text as stored, by the hash it is stored under. */
async function computedHashes(transaction: Transaction<LedgerTables>): Promise<ReadonlyMap<string, string>> {
  const documents = await transaction.selectFrom('document').select(['sha256', 'text']).execute()
  return new Map(documents.map(({ sha256, text }) => [sha256, createHash('sha256').update(text).digest('hex')]))
}

/** Whether the copy has everything in the record, without a contradiction. */
function includes(copy: AcceptanceWithAttempts | undefined, record: AcceptanceWithAttempts): boolean {
  if (copy === undefined) return false
  const whole = mergeAcceptances(record, copy)
  return whole !== undefined && serialize(whole) === serialize(copy)
}

function columns(acceptance: AcceptanceWithAttempts) {
  return pick(acceptance, ACCEPTANCE_COLUMNS)
}
