// Checks what a start would find in a database, without changing it: for `--check`.
import { constants, existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import type { DatabaseLocation } from '../settings/sections/database.ts'
import { connect } from './database.ts'
import { readDurability, readStorage, type Storage } from './durability.ts'
import { describeFault } from './fault.ts'
import { isOutdated, type Schema } from './migrating.ts'
import { absolutePathHint } from './unavailable.ts'

export type DatabaseCheck =
  /** Why a start would fail, without the database's address. */
  | { readonly fault: string; readonly storage?: never; readonly isOutdated?: never }
  | {
      readonly fault?: never
      readonly storage: Storage
      /** Whether a start would upgrade existing tables. */
      readonly isOutdated: boolean
    }

const LIMIT_MS = 2_000

export async function checkDatabase(location: DatabaseLocation, schema: Schema): Promise<DatabaseCheck> {
  try {
    if (location.dialect === 'postgres') return await checkPostgres(location, schema)
    return await checkSqlite(location.path, schema)
  } catch (error) {
    return { fault: `${describeFault(error)}${absolutePathHint(location)}` }
  }
}

async function checkPostgres(location: DatabaseLocation, schema: Schema): Promise<DatabaseCheck> {
  const db = connect(location, { milliseconds: LIMIT_MS })
  try {
    const storage = await readDurability(db, location)
    const tables = await db.introspection.getTables()
    if (!tables.some(({ name }) => name === schema.table)) return { storage, isOutdated: false }
    const { rows } = await sql<{ name: string }>`select name from ${sql.table(schema.table)}`.execute(db)
    return { storage, isOutdated: isOutdated(namesOf(rows), schema) }
  } finally {
    await db.destroy().catch(() => {})
  }
}

async function checkSqlite(path: string, schema: Schema): Promise<DatabaseCheck> {
  const storage = await readStorage(path)
  if (path === ':memory:') return { storage, isOutdated: false }
  // Undefined without Node's permission model, which `access` ignores.
  if (process.permission?.has('fs.write', path) === false) {
    throw new Error(`${path} is not in a folder that this process may write to (--allow-fs-write)`)
  }
  // SQLite creates files next to it, too.
  await access(dirname(path), constants.W_OK | constants.X_OK)
  if (!existsSync(path)) return { storage, isOutdated: false }
  await access(path, constants.R_OK | constants.W_OK)
  const applied = appliedSteps(path, schema)
  return { storage, isOutdated: applied !== undefined && isOutdated(applied, schema) }
}

/** Undefined where there are no tables yet. Blocks for as long as it takes to read a few rows. */
function appliedSteps(path: string, { table }: Schema): readonly string[] | undefined {
  const url = pathToFileURL(path)
  // No process has it open. Otherwise SQLite would create two files next to it, and leave them behind.
  if (!existsSync(`${path}-wal`)) url.searchParams.set('immutable', '1')
  const database = new DatabaseSync(url, { readOnly: true, timeout: LIMIT_MS })
  try {
    const found = database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(table)
    return found === undefined ? undefined : namesOf(database.prepare(`select name from "${table}"`).all())
  } finally {
    database.close()
  }
}

function namesOf(rows: readonly { readonly name?: unknown }[]): readonly string[] {
  return rows.map(({ name }) => String(name))
}
