// Migrates a schema. Several processes may do it at the same time: each step is one transaction that holds a lock.
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { DatabaseLocation } from '../settings/sections/database.ts'

/** The steps of one component; several components may share a database. */
export interface Schema {
  /**
   * Applied in the order of their names, `NNN-expand-…` or `NNN-contract-…`; a published one is never edited. Two
   * versions run side by side during an update, and after a rollback.
   */
  readonly migrations: Readonly<Record<string, Migration>>
  /** The oldest version whose databases are migrated, and a step that every one of these has applied. */
  readonly oldest?: { readonly step: string; readonly version: string }
  /** The table that records the applied steps; another one has its name with `_lock`. */
  readonly table: string
  /** Of an advisory lock on PostgreSQL: arbitrary, distinct from those of other programs in the same database. */
  readonly lock: bigint
  /** What applies missing steps: `a portal does that when it starts`. */
  readonly remedy: string
}

/**
 * Matches a step of a later version that this version can work with: it only adds what may stay empty. A step that
 * removes something belongs to a release after the last version that needs it.
 */
const ADDS_ONLY = /^\d{3}-expand-/

/**
 * Applies the missing steps.
 * @throws {Error} if the database is of a version that this one cannot work with, or a step fails
 */
export async function migrate<Tables>(
  db: Kysely<Tables>,
  dialect: DatabaseLocation['dialect'],
  schema: Schema,
): Promise<void> {
  while (await applyNextSteps(db, dialect, schema));
}

/**
 * One transaction per step: a step that changes many rows would otherwise hold the table lock of the step before it. A new
 * database has no rows, and gets all steps at once. A session lock like Kysely's might never be released behind PgBouncer.
 * On SQLite `begin immediate` is the lock.
 * @returns false if no step is missing any more
 */
async function applyNextSteps<Tables>(
  db: Kysely<Tables>,
  dialect: DatabaseLocation['dialect'],
  schema: Schema,
): Promise<boolean> {
  return await db.transaction().execute(async (transaction) => {
    if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(schema.lock)})`.execute(transaction)
    const tables = await transaction.introspection.getTables()
    const isNew = !tables.some(({ name }) => name === schema.table)
    const later = isNew ? [] : await laterSteps(transaction, schema)
    const steps = migrator(transaction, schema, later)
    const { error, results } = await (isNew ? steps.migrateToLatest() : steps.migrateUp())
    if (error !== undefined) throw error
    return !isNew && results !== undefined && results.length > 0
  })
}

/** @throws {Error} if a step is missing, or the database is of a version that this one cannot work with */
export async function assertMigrated<Tables>(db: Kysely<Tables>, schema: Schema): Promise<void> {
  const steps = await migrator(db, schema).getMigrations()
  const missing = steps.filter(({ executedAt }) => executedAt === undefined)
  assertNotTooOld(
    steps.filter((step) => !missing.includes(step)).map(({ name }) => name),
    schema,
  )
  if (missing.length > 0) throw new Error(`not migrated yet: ${listed(missing)}; ${schema.remedy}`)
  await laterSteps(db, schema)
}

/**
 * @param applied the names of the steps in the schema's table
 * @returns whether a step is missing
 * @throws {Error} if the database is of a later version that this one cannot work with
 */
export function isOutdated(applied: readonly string[], schema: Schema): boolean {
  compatibleLaterSteps(applied, schema)
  return Object.keys(schema.migrations).some((step) => !applied.includes(step))
}

/** @param later applied steps that this version does not have */
function migrator<Tables>(db: Kysely<Tables>, schema: Schema, later: readonly string[] = []): Migrator {
  const done = Object.fromEntries(later.map((name) => [name, { up: async () => {} }]))
  return new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...schema.migrations, ...done }) },
    migrationTableName: schema.table,
    migrationLockTableName: `${schema.table}_lock`,
  })
}

/** @throws {Error} if one of them may have removed what this version needs */
async function laterSteps<Tables>(db: Kysely<Tables>, schema: Schema): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(schema.table)}`.execute(db)
  return compatibleLaterSteps(
    rows.map(({ name }) => name),
    schema,
  )
}

/** @throws {Error} if one of them may have removed what this version needs, or the database is of too early a version */
function compatibleLaterSteps(applied: readonly string[], schema: Schema): readonly string[] {
  assertNotTooOld(applied, schema)
  const later = applied.filter((name) => !Object.hasOwn(schema.migrations, name))
  const incompatible = later.filter((name) => !ADDS_ONLY.test(name))
  if (incompatible.length > 0) throw new Error(`the database is of a later version: ${incompatible.join(', ')}`)
  return later
}

function assertNotTooOld(applied: readonly string[], { oldest }: Schema): void {
  if (oldest === undefined || applied.length === 0 || applied.includes(oldest.step)) return
  const { version } = oldest
  throw new Error(`the database is of a version before ${version}: start the last version of ${version} with it first`)
}

function listed(steps: readonly { readonly name: string }[]): string {
  return steps.map(({ name }) => name).join(', ')
}
