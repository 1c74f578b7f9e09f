// Deletes acceptances with their attempts and salts, and leaves an entry, so that the next head covers the deletion.
import { randomUUIDv7 } from 'node:crypto'
import type { Transaction } from 'kysely'
import type { DatabaseLocation } from '../settings/sections/database.ts'
import { lockHeads } from './heads/append.ts'
import { listLeaves } from './heads/entry.ts'
import type { EntryRecord, LedgerTables } from './schema.ts'

interface Deletion extends Pick<EntryRecord, 'before'> {
  readonly kind: 'prune' | 'erasure'
  readonly at: string
}

/**
 * A transaction that locks acceptances before this calls `lockHeads` before that.
 * @param references the verdicts' ids; at most about 1,000 at once
 * @returns how many acceptances were deleted
 */
export async function deleteAcceptances(
  transaction: Transaction<LedgerTables>,
  dialect: DatabaseLocation['dialect'],
  references: readonly string[],
  deletion: Deletion,
): Promise<number> {
  if (references.length === 0) return 0
  await lockHeads(transaction, dialect)
  // A concurrent begin or completion waits, and then finds no acceptance.
  if (dialect === 'postgres') {
    await transaction.selectFrom('acceptance').select('id').where('jti', 'in', references).forUpdate().execute()
  }
  const leaves = await transaction
    .updateTable('ledger_leaf')
    .set({ attempt_id: null, salt: null, before_merge: null })
    .where('attempt_id', 'in', ({ selectFrom }) => selectFrom('attempt').select('id').where('jti', 'in', references))
    .returning(['portal', 'head', 'position'])
    .execute()
  const attempts = await transaction.deleteFrom('attempt').where('jti', 'in', references).executeTakeFirst()
  const acceptances = await transaction.deleteFrom('acceptance').where('jti', 'in', references).executeTakeFirst()
  const deleted = Number(acceptances.numDeletedRows)
  if (deleted === 0) return 0
  await transaction
    .insertInto('ledger_entry')
    .values({
      id: randomUUIDv7(),
      ...deletion,
      acceptances: deleted,
      attempts: Number(attempts.numDeletedRows),
      leaves: listLeaves(leaves),
      root: null,
    })
    .execute()
  return deleted
}
