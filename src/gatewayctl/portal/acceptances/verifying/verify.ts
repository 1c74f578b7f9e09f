// Verifies a ledger against its signed heads, and against exported ones. Reads in short transactions, next to a running portal.
import { sql, type Transaction } from 'kysely'
import { headHash } from '../../../../ledger/heads/head.ts'
import type { HeadRecord, LedgerTables } from '../../../../ledger/schema.ts'
import type { DatabaseLocation } from '../../../../settings/sections/database.ts'
import { type ExistingLedger, openExisting } from '../ledger/existing-ledger.ts'
import { verifyAcceptances } from './acceptances.ts'
import { type Entries, readEntries } from './entries.ts'
import { createFindings, type Finding, type Findings } from './findings.ts'
import { verifyHeads } from './heads.ts'
import { type LeafGroup, verifyLeaves } from './leaves.ts'

export interface Verified {
  /** The earliest attempt that was tampered with; without one the earliest other finding; undefined if all is well. */
  readonly first: Finding | undefined
  readonly findings: readonly Finding[]
  readonly total: number
  readonly heads: number
  readonly portals: number
  /** The public keys that signed heads. */
  readonly keys: readonly string[]
  /** What was completed before this is covered; undefined without heads. */
  readonly coveredUntil: string | undefined
  /** Attempts with a leaf. */
  readonly attempts: number
  /** Attempts without a leaf, and newer than the newest head. */
  readonly uncovered: number
  /** Leaves whose attempt was deleted. */
  readonly deleted: number
  readonly deletions: number
  readonly copies: number
}

/** @throws {LedgerUnavailable} */
export async function readHeads(location: DatabaseLocation, since = ''): Promise<readonly HeadRecord[]> {
  const ledger = await openExisting(location, 'read only')
  return await ledger.read('read heads', (transaction) => headsSince(transaction, since)).finally(() => ledger.close())
}

/**
 * @param exported heads from outside of the ledger, with valid signatures
 * @param progress gets the number of verified heads
 * @throws {LedgerUnavailable}
 */
export async function verifyLedger(
  location: DatabaseLocation,
  exported: readonly HeadRecord[],
  progress: (heads: number) => void,
): Promise<Verified> {
  const ledger = await openExisting(location, 'read only')
  try {
    return await verify(ledger, exported, progress)
  } finally {
    await ledger.close()
  }
}

async function verify(
  ledger: ExistingLedger,
  exported: readonly HeadRecord[],
  progress: (heads: number) => void,
): Promise<Verified> {
  const findings = createFindings()
  const { stored, entries } = await ledger.read('read heads', async (transaction) => ({
    stored: await headsSince(transaction, ''),
    entries: await readEntries(transaction),
  }))
  const heads = verifyHeads(stored, exported, findings)
  let [attempts, deleted] = [0, 0]
  for (const [index, group] of [...heads.map(ofHead), ...copies(entries)].entries()) {
    const counts = await ledger.read('read leaves', (transaction) =>
      verifyLeaves(transaction, group, entries, findings),
    )
    attempts += counts.attempts
    deleted += counts.deleted
    progress(index + 1)
  }
  await ledger.read('read leaves', (transaction) => verifyStrays(transaction, findings))
  // A head that another one follows may have had a fast clock, and the other one the right time.
  const followed = new Set(heads.map(({ previous }) => previous))
  const coveredUntil = heads
    .filter((head) => !followed.has(headHash(head)))
    .map(({ until }) => until)
    .filter((until) => until !== null)
    .sort()
    .at(-1)
  const uncovered = await verifyAcceptances(ledger, coveredUntil, findings)
  const ofCopies = entries.all().filter(({ kind }) => kind === 'copy').length
  return {
    first: findings.first(),
    findings: findings.kept(),
    total: findings.total(),
    heads: heads.length,
    portals: new Set(heads.map(({ portal }) => portal)).size,
    keys: [...new Set(heads.map(({ key }) => key))],
    coveredUntil,
    attempts,
    uncovered,
    deleted,
    deletions: entries.all().length - ofCopies,
    copies: ofCopies,
  }
}

const ofHead = ({ number, ...head }: ReturnType<typeof verifyHeads>[number]): LeafGroup => ({ ...head, head: number })

function copies(entries: Entries): readonly LeafGroup[] {
  return entries
    .all()
    .filter(({ kind }) => kind === 'copy')
    .map(({ id, at, attempts, root }) => ({ portal: id, head: 0, at, size: attempts, root, coveredUntil: null }))
}

async function headsSince(transaction: Transaction<LedgerTables>, since: string): Promise<readonly HeadRecord[]> {
  return await transaction
    .selectFrom('ledger_head')
    .selectAll()
    .where('at', '>=', since)
    .orderBy('at')
    .orderBy('portal')
    .orderBy('number')
    .execute()
}

/** Leaves of no head would hide an inserted attempt. */
async function verifyStrays(transaction: Transaction<LedgerTables>, findings: Findings): Promise<void> {
  const strays = await transaction
    .selectFrom('ledger_leaf')
    .leftJoin('ledger_head', (join) =>
      join.onRef('ledger_head.portal', '=', 'ledger_leaf.portal').onRef('ledger_head.number', '=', 'ledger_leaf.head'),
    )
    .leftJoin('ledger_entry', (join) =>
      join
        .onRef('ledger_entry.id', '=', 'ledger_leaf.portal')
        .on('ledger_entry.kind', '=', 'copy')
        .on('ledger_leaf.head', '=', sql.lit(0)),
    )
    .select(['ledger_leaf.portal', 'ledger_leaf.head', 'ledger_leaf.position', 'ledger_leaf.attempt_id'])
    .where('ledger_head.portal', 'is', null)
    .where('ledger_entry.id', 'is', null)
    .limit(100)
    .execute()
  for (const { portal, head, position, attempt_id } of strays) {
    const detail = `it belongs to no head${attempt_id === null ? '' : `; attempt ${attempt_id}`}`
    findings.add({ what: 'leaf', problem: 'inserted', at: '', id: `${portal}/${head}/${position}`, jti: null, detail })
  }
}
