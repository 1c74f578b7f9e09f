// The ledger's schema, step by step. Every replica may migrate at once: each step is one transaction, which holds the lock.
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { LedgerLocation } from './database.ts'
import { UNKNOWN_AFTER } from './metrics.ts'
import type { LedgerTables } from './schema.ts'

/** An arbitrary number that no other user of the same database has. */
const LOCK = 7_294_108_355_126_701n
const MIGRATION_TABLE = 'ledger_migration'

/**
 * What the name of a step of a later version says when this version can work beside it: it only adds what may stay empty.
 * A step that takes something away comes in a release after the last version that needs it.
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
    // An acceptance of an older version has what its first attempt was shown; of later attempts nobody knows. An attempt
    // that may still be waiting for its answer is left out: the older replica must not wait for this step to record it.
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

/** @param later steps that this version does not have, and that are done */
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
 * Applies what is missing.
 * @throws {Error} when the database is of a later version that this one cannot work beside, or a step fails
 */
export async function migrate(db: Kysely<LedgerTables>, dialect: LedgerLocation['dialect']): Promise<void> {
  while (await applyNextStep(db, dialect));
}

/**
 * In a transaction of its own: a step that changes many rows must not hold the table lock of the step before it. The
 * lock belongs to the transaction: one of the session, as Kysely's, might never be released behind PgBouncer. SQLite's
 * transactions exclude each other by themselves (`begin immediate`).
 * @returns false when no step was missing
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

/** @throws {Error} when a migration has not been applied, or the database is of a later version that stands in the way */
export async function assertMigrated(db: Kysely<LedgerTables>): Promise<void> {
  const missing = (await migrator(db).getMigrations()).filter(({ executedAt }) => executedAt === undefined)
  if (missing.length > 0) throw new Error(`not migrated yet: ${listed(missing)}; a portal does that when it starts`)
  await laterSteps(db)
}

/** @throws {Error} when one of them may have taken away what this version needs */
async function laterSteps(db: Kysely<LedgerTables>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)}`.execute(db)
  const later = rows.filter(({ name }) => !Object.hasOwn(migrations, name))
  const inTheWay = later.filter(({ name }) => !ADDS_ONLY.test(name))
  if (inTheWay.length > 0) throw new Error(`the database is of a later version: ${listed(inTheWay)}`)
  return later.map(({ name }) => name)
}

function listed(steps: readonly { readonly name: string }[]): string {
  return steps.map(({ name }) => name).join(', ')
}
