// Overwrites what deleted rows have left behind in the files of an SQLite database.
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { DatabaseLocation } from '../settings/sections/database.ts'
import { connect } from './database.ts'
import { describeFault } from './fault.ts'

/** A file of 1 GB takes about ten seconds. */
const LIMIT_MS = 300_000
/** For readers that are still in the log. */
const PATIENCE_MS = 10_000
const PAUSE_MS = 200

/**
 * Rewrites the file: pages keep copies of rows that have moved to another page, which `secure_delete` does not find when the rows
 * are deleted there. Then empties the write-ahead log. On a connection of its own: others write and read meanwhile, or wait.
 * @returns why something may remain; undefined for a database without files of ours
 */
export async function scrub(location: DatabaseLocation): Promise<string | undefined> {
  // A file that is missing, such as that of a journal that is off, must not be created.
  if (location.dialect === 'postgres' || !existsSync(location.path)) return undefined
  const db = connect<unknown>(location, { milliseconds: LIMIT_MS })
  try {
    await useOwnFolder(db, location.path)
    await sql`vacuum`.execute(db)
    for (const startedAt = performance.now(); ; await sleep(PAUSE_MS)) {
      const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db)
      if (rows[0]?.busy === 0) return undefined
      if (performance.now() - startedAt > PATIENCE_MS) return `${location.path}-wal is in use by a reader`
    }
  } catch (error) {
    return `${location.path}: ${describeFault(error)}`
  } finally {
    await db.destroy().catch(() => {})
  }
}

/**
 * Where the copy goes while the file is rewritten: in a container, nothing else can be written to. The setting is the process's, and
 * must not change while it is in use: it is made once.
 */
async function useOwnFolder(db: Kysely<unknown>, path: string): Promise<void> {
  const { rows } = await sql<{ temp_store_directory?: string }>`pragma temp_store_directory`.execute(db)
  if (rows[0]?.temp_store_directory) return
  await sql`pragma temp_store_directory = ${sql.lit(dirname(resolve(path)))}`.execute(db)
}
