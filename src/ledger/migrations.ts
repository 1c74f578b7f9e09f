// The ledger's schema, step by step. Every replica may migrate at once: one transaction holds the lock and does it all.
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { LedgerLocation } from './database.ts'
import type { LedgerTables } from './schema.ts'

/** An arbitrary number that no other user of the same database has. */
const LOCK = 7_294_108_355_126_701n

const migrations: Record<string, Migration> = {
  // Applied in the order of their names; a published one is never edited.
  '001-acceptances': {
    async up(db) {
      await db.schema
        .createTable('document')
        .addColumn('sha256', 'text', (column) => column.notNull().primaryKey())
        .addColumn('text', 'text', (column) => column.notNull())
        .addColumn('media_type', 'text', (column) => column.notNull())
        .addColumn('locale', 'text', (column) => column.notNull())
        .addColumn('kept_at', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('acceptance')
        .addColumn('id', 'text', (column) => column.notNull().primaryKey())
        .addColumn('jti', 'text', (column) => column.notNull().unique())
        .addColumn('rule_name', 'text', (column) => column.notNull())
        .addColumn('policy_version', 'text', (column) => column.notNull())
        .addColumn('document_sha256', 'text', (column) => column.notNull())
        .addColumn('document_source', 'text', (column) => column.notNull())
        .addColumn('locale', 'text', (column) => column.notNull())
        .addColumn('state', 'text', (column) =>
          column.notNull().check(sql`state in ('pending', 'accepted', 'refused')`),
        )
        .addColumn('requested_at', 'text', (column) => column.notNull())
        .addColumn('decided_at', 'text')
        .addColumn('engine_status', 'integer')
        .addColumn('attempts', 'integer', (column) => column.notNull())
        .addColumn('portal_version', 'text', (column) => column.notNull())
        .addColumn('client_address', 'text')
        .execute()
      await db.schema
        .createTable('attempt')
        .addColumn('id', 'text', (column) => column.notNull().primaryKey())
        .addColumn('jti', 'text', (column) => column.notNull().references('acceptance.jti'))
        .addColumn('asked_at', 'text', (column) => column.notNull())
        .addColumn('answered_at', 'text')
        .addColumn('engine_status', 'integer')
        .execute()
      await db.schema.createIndex('acceptance_by_state').on('acceptance').columns(['state', 'requested_at']).execute()
      await db.schema.createIndex('attempt_by_verdict').on('attempt').columns(['jti', 'engine_status']).execute()
    },
  },
  '002-acceptances-by-time': {
    async up(db) {
      await db.schema.createIndex('acceptance_by_time').on('acceptance').columns(['requested_at', 'id']).execute()
    },
  },
}

function migrator(db: Kysely<LedgerTables>): Migrator {
  return new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableName: 'ledger_migration',
    migrationLockTableName: 'ledger_migration_lock',
  })
}

/**
 * Applies what is missing. The lock belongs to the transaction: one of the session, as Kysely's, might never be
 * released behind PgBouncer. SQLite's transactions exclude each other by themselves (`begin immediate`).
 * @throws {Error} when the database is newer than this program, or a step fails
 */
export async function migrate(db: Kysely<LedgerTables>, dialect: LedgerLocation['dialect']): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(transaction)
    const { error } = await migrator(transaction).migrateToLatest()
    if (error !== undefined) throw error
  })
}

/** @throws {Error} when a migration has not been applied, or one has that this version does not know */
export async function assertMigrated(db: Kysely<LedgerTables>): Promise<void> {
  const missing = (await migrator(db).getMigrations()).filter(({ executedAt }) => executedAt === undefined)
  if (missing.length > 0) throw new Error(`not migrated yet: ${listed(missing)}; a portal does that when it starts`)
  const { rows } = await sql<{ name: string }>`select name from ledger_migration`.execute(db)
  const later = rows.filter(({ name }) => !Object.hasOwn(migrations, name))
  if (later.length > 0) throw new Error(`the database is of a later version: ${listed(later)}`)
}

function listed(steps: readonly { readonly name: string }[]): string {
  return steps.map(({ name }) => name).join(', ')
}
