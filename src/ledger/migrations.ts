// The ledger's schema migrations. Replicas may migrate at the same time: each step is one transaction that holds a lock.
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { LedgerLocation } from './database.ts'
import { UNKNOWN_AFTER } from './metrics.ts'
import type { LedgerTables } from './schema.ts'

/** Arbitrary; distinct from the advisory locks of other programs in the same database. */
const LOCK = 7_294_108_355_126_701n
const MIGRATION_TABLE = 'ledger_migration'

/**
 * Matches a step of a later version that this version can work with: it only adds what may stay empty. A step that
 * removes something belongs to a release after the last version that needs it.
 */
const ADDS_ONLY = /^\d{3}-expand-/

const migrations: Record<string, Migration> = {
  // Applied in the order of their names; a published one is never edited. From 003 on they are named NNN-expand-… or
  // NNN-contract-…, because replicas of two versions run side by side during an update, and after a rollback.
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
  '003-expand-shown-by-attempt': {
    async up(db) {
      for (const column of ['policy_version', 'document_sha256', 'locale', 'document_source', 'client_address']) {
        await db.schema.alterTable('attempt').addColumn(column, 'text').execute()
      }
    },
  },
  '004-expand-shown-carried-over': {
    // In an acceptance of an older version the shown columns belong to its first attempt; those of later attempts are not
    // known. Skips attempts in flight: the older replica would wait for this step to record their outcome.
    async up(db) {
      const recently = new Date(Date.now() - UNKNOWN_AFTER).toISOString()
      await sql`
        update attempt set policy_version = acceptance.policy_version, document_sha256 = acceptance.document_sha256,
          locale = acceptance.locale, document_source = acceptance.document_source,
          client_address = acceptance.client_address
        from acceptance
        where acceptance.jti = attempt.jti and attempt.policy_version is null
          and (attempt.answered_at is not null or attempt.asked_at < ${recently})
          and attempt.asked_at = acceptance.requested_at
          and (acceptance.attempts = 1 or attempt.id = (
            select min(id) from attempt as first
            where first.jti = acceptance.jti and first.asked_at = acceptance.requested_at
          ))
      `.execute(db)
    },
  },
}

/** @param later applied steps that this version does not have */
function migrator(db: Kysely<LedgerTables>, later: readonly string[] = []): Migrator {
  const done = Object.fromEntries(later.map((name) => [name, { up: async () => {} }]))
  return new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...migrations, ...done }) },
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: 'ledger_migration_lock',
  })
}

/**
 * Applies the missing steps.
 * @throws {Error} if the database is of a later version that this one cannot work with, or a step fails
 */
export async function migrate(db: Kysely<LedgerTables>, dialect: LedgerLocation['dialect']): Promise<void> {
  while (await applyNextStep(db, dialect));
}

/**
 * One transaction per step: a step that changes many rows would otherwise hold the table lock of the step before it. A
 * session lock like Kysely's might never be released behind PgBouncer. On SQLite `begin immediate` is the lock.
 * @returns false if no step was missing
 */
async function applyNextStep(db: Kysely<LedgerTables>, dialect: LedgerLocation['dialect']): Promise<boolean> {
  return await db.transaction().execute(async (transaction) => {
    if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(transaction)
    const tables = await transaction.introspection.getTables()
    const isNew = !tables.some(({ name }) => name === MIGRATION_TABLE)
    const { error, results } = await migrator(transaction, isNew ? [] : await laterSteps(transaction)).migrateUp()
    if (error !== undefined) throw error
    return results !== undefined && results.length > 0
  })
}

/** @throws {Error} if a step is missing, or the database is of a later version that this one cannot work with */
export async function assertMigrated(db: Kysely<LedgerTables>): Promise<void> {
  const missing = (await migrator(db).getMigrations()).filter(({ executedAt }) => executedAt === undefined)
  if (missing.length > 0) throw new Error(`not migrated yet: ${listed(missing)}; a portal does that when it starts`)
  await laterSteps(db)
}

/** @throws {Error} if one of them may have removed what this version needs */
async function laterSteps(db: Kysely<LedgerTables>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)}`.execute(db)
  const later = rows.filter(({ name }) => !Object.hasOwn(migrations, name))
  const incompatible = later.filter(({ name }) => !ADDS_ONLY.test(name))
  if (incompatible.length > 0) throw new Error(`the database is of a later version: ${listed(incompatible)}`)
  return later.map(({ name }) => name)
}

function listed(steps: readonly { readonly name: string }[]): string {
  return steps.map(({ name }) => name).join(', ')
}
