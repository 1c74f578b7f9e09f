// Deletes acceptances with their attempts, inside a transaction: of those that are too old, and of a person.
import type { Transaction } from 'kysely'
import type { LedgerTables } from '../../../../ledger/schema.ts'

/** @param references the verdicts' ids, of one batch */
export async function deleteAcceptances(
  transaction: Transaction<LedgerTables>,
  references: readonly string[],
): Promise<number> {
  await transaction.deleteFrom('attempt').where('jti', 'in', references).execute()
  const { numDeletedRows } = await transaction
    .deleteFrom('acceptance')
    .where('jti', 'in', references)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
