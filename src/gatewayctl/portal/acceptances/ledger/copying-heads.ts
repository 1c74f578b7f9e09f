// Copies the evidence of a ledger: heads, leaves and entries. What a later head of a running source covers is left to the next
// copy, so that a copy never has a leaf without its attempt.
import { randomUUIDv7 } from 'node:crypto'
import type { Transaction } from 'kysely'
import { headKey } from '../../../../ledger/heads/entry.ts'
import {
  attemptLeaf,
  beforeMerge,
  COVERED_COLUMNS,
  completedAt,
  LATE_MS,
  newSalt,
} from '../../../../ledger/heads/leaf.ts'
import { treeHash } from '../../../../ledger/heads/merkle.ts'
import {
  type EntryRecord,
  type HeadRecord,
  LEAF_COLUMNS,
  type LeafRecord,
  type LedgerTables,
} from '../../../../ledger/schema.ts'
import type { AcceptanceWithLeaves } from './reading.ts'

/** Stays below the limit on parameters of a statement in both databases. */
const ROWS_PER_INSERT = 1_000

/** The groups of leaves that are copied: of heads, and of copies into the source. */
export interface CopiedGroups {
  readonly heads: readonly HeadRecord[]
  readonly keys: ReadonlySet<string>
}

export async function groupsToCopy(transaction: Transaction<LedgerTables>): Promise<CopiedGroups> {
  const heads = await transaction.selectFrom('ledger_head').selectAll().execute()
  const copies = await transaction.selectFrom('ledger_entry').select('id').where('kind', '=', 'copy').execute()
  const keys = [
    ...heads.map(({ portal, number }) => headKey({ portal, head: number })),
    ...copies.map(({ id }) => headKey({ portal: id, head: 0 })),
  ]
  return { heads, keys: new Set(keys) }
}

export async function copyHeads(transaction: Transaction<LedgerTables>, heads: readonly HeadRecord[]): Promise<void> {
  for (let at = 0; at < heads.length; at += ROWS_PER_INSERT) {
    await transaction
      .insertInto('ledger_head')
      .values(heads.slice(at, at + ROWS_PER_INSERT))
      .onConflict((conflict) => conflict.columns(['portal', 'number']).doNothing())
      .execute()
  }
}

export async function copyEntries(
  transaction: Transaction<LedgerTables>,
  entries: readonly EntryRecord[],
): Promise<void> {
  for (let at = 0; at < entries.length; at += ROWS_PER_INSERT) {
    await transaction
      .insertInto('ledger_entry')
      .values(entries.slice(at, at + ROWS_PER_INSERT))
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
  }
}

/** A leaf whose attempt was deleted in one of both ledgers gets the attempt of the other. */
export async function copyLeaves(transaction: Transaction<LedgerTables>, leaves: readonly LeafRecord[]): Promise<void> {
  for (let at = 0; at < leaves.length; at += ROWS_PER_INSERT) {
    await transaction
      .insertInto('ledger_leaf')
      .values(leaves.slice(at, at + ROWS_PER_INSERT))
      .onConflict((conflict) =>
        conflict
          .columns(['portal', 'head', 'position'])
          .doUpdateSet(({ ref }) => ({
            attempt_id: ref('excluded.attempt_id'),
            salt: ref('excluded.salt'),
            before_merge: ref('excluded.before_merge'),
          }))
          .where('ledger_leaf.attempt_id', 'is', null)
          .where('ledger_leaf.entry_id', 'is', null),
      )
      .execute()
  }
}

/** The leaves of a group that have no attempt. */
export async function leavesWithoutAttempt(
  transaction: Transaction<LedgerTables>,
  portal: string,
): Promise<readonly LeafRecord[]> {
  return await transaction
    .selectFrom('ledger_leaf')
    .select(LEAF_COLUMNS)
    .where('portal', '=', portal)
    .where('attempt_id', 'is', null)
    .execute()
}

/**
 * The leaves of copied acceptances. Where the destination has an earlier acceptance of the verdict, they keep the columns of
 * the source's.
 * @param kept the destination's acceptance ids after the copy, by verdict
 */
export function leavesOf(
  batch: readonly AcceptanceWithLeaves[],
  groups: CopiedGroups,
  kept: ReadonlyMap<string, string>,
): readonly LeafRecord[] {
  return batch.flatMap((acceptance) => {
    const isReplaced = (kept.get(acceptance.jti) ?? acceptance.id) !== acceptance.id
    return acceptance.leaves
      .filter((leaf) => groups.keys.has(headKey(leaf)))
      .map((leaf) => ({ ...leaf, before_merge: leaf.before_merge ?? (isReplaced ? beforeMerge(acceptance) : null) }))
  })
}

/** The destination's leaves of an acceptance that an earlier one replaces. */
export async function keepBeforeMerge(
  transaction: Transaction<LedgerTables>,
  replaced: Parameters<typeof beforeMerge>[0],
): Promise<void> {
  await transaction
    .updateTable('ledger_leaf')
    .set({ before_merge: beforeMerge(replaced) })
    .where('before_merge', 'is', null)
    .where('attempt_id', 'in', ({ selectFrom }) => selectFrom('attempt').select('id').where('jti', '=', replaced.jti))
    .execute()
}

/**
 * Covers attempts that the source's heads do not, and that are older than the destination's newest head: they would look
 * inserted. An entry says that they came by a copy.
 */
export async function coverCopied(
  transaction: Transaction<LedgerTables>,
  references: readonly string[],
  at: string,
): Promise<void> {
  const newest = await transaction
    .selectFrom('ledger_head')
    .select(({ fn }) => fn.max('until').as('until'))
    .executeTakeFirst()
  if (!newest?.until || references.length === 0) return
  const uncovered = await transaction
    .selectFrom('acceptance')
    .innerJoin('attempt', 'attempt.jti', 'acceptance.jti')
    .select(COVERED_COLUMNS)
    .where('acceptance.jti', 'in', references)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('ledger_leaf').select('ledger_leaf.hash').whereRef('ledger_leaf.attempt_id', '=', 'attempt.id'),
        ),
      ),
    )
    .execute()
  const limit = Date.parse(newest.until) - LATE_MS
  const older = uncovered.filter((attempt) => completedAt(attempt) < limit)
  if (older.length === 0) return
  const id = randomUUIDv7()
  const leaves = older.map((attempt, position) => {
    const salt = newSalt()
    const hash = attemptLeaf(attempt, salt)
    return { portal: id, head: 0, position, hash, attempt_id: attempt.id, entry_id: null, salt, before_merge: null }
  })
  const acceptances = new Set(older.map(({ jti }) => jti)).size
  const root = treeHash(leaves.map(({ hash }) => hash))
  await transaction
    .insertInto('ledger_entry')
    .values({ id, at, kind: 'copy', before: null, acceptances, attempts: leaves.length, leaves: '[]', root })
    .execute()
  await copyLeaves(transaction, leaves)
}
