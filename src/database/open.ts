// Opens a database: connects, migrates or checks the schema, and asserts durability.
import type { Kysely } from 'kysely'
import type { DatabaseLocation } from '../settings/sections/database.ts'
import { connect } from './database.ts'
import { type Durability, readDurability } from './durability.ts'
import { assertMigrated, migrate, type Schema } from './migrating.ts'

/** PostgreSQL needs up to 30 s to migrate a million attempts (migration 004 of the ledger). */
const MIGRATION_LIMIT_MS = 600_000

export interface OpenOptions {
  readonly schema: Schema
  /** Whether to apply missing steps; without it the schema has to be up to date. */
  readonly migrate: boolean
  /** Milliseconds that a statement may take once the schema is up to date. */
  readonly limit: number
  /** On PostgreSQL, at most. */
  readonly connections?: number
}

/** @throws {Error} whatever is wrong; nothing stays open */
export async function openDatabase<Tables>(
  location: DatabaseLocation,
  options: OpenOptions,
): Promise<{ readonly db: Kysely<Tables>; readonly durability: Durability }> {
  const limit = { milliseconds: MIGRATION_LIMIT_MS }
  const db = connect<Tables>(location, limit, 'read write', options.connections)
  try {
    await (options.migrate ? migrate(db, location.dialect, options.schema) : assertMigrated(db, options.schema))
    const durability = await readDurability(db, location)
    limit.milliseconds = options.limit
    return { db, durability }
  } catch (error) {
    await db.destroy().catch(() => {})
    throw error
  }
}
