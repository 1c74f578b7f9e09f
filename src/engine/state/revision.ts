// The number of changes that every engine has to follow: sessions that were ended, permissions, switches, lesson codes and
// reported users.
import { sql, type Transaction } from 'kysely'
import type { StateTables } from './schema.ts'

/** Every engine then reads all of its memory again: what was deleted leaves no row that says so. */
export async function rereadAll(transaction: Transaction<StateTables>): Promise<void> {
  await transaction
    .updateTable('engine_revision')
    .set({ revision: sql<number>`revision + 1`, reread_before: sql<number>`revision + 1` })
    .execute()
}

/** The row stays locked until the commit, so that revisions become visible in their order. */
export async function nextRevision(transaction: Transaction<StateTables>): Promise<number> {
  const { revision } = await transaction
    .updateTable('engine_revision')
    .set({ revision: sql<number>`revision + 1` })
    .returning('revision')
    .executeTakeFirstOrThrow()
  return Number(revision)
}
