// Reads back from the database whether an acknowledged commit is durable.
import { realpath, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, relative, sep } from 'node:path'
import { type Kysely, sql } from 'kysely'
import type { DatabaseLocation } from '../settings/sections/database.ts'

export interface Storage {
  /** Its content is lost when the container, or the machine, is restarted. */
  readonly memoryBacked: boolean
  /** Its content is lost when the system empties the folder for temporary files. */
  readonly inTemporaryFolder: boolean
}

export interface Durability extends Storage {
  /** As read back, for the log; no part of the database's address. */
  readonly settings: Readonly<Record<string, string>>
}

const SYNCHRONOUS = ['off', 'normal', 'full', 'extra']
const TMPFS = 0x01021994
const RAMFS = 0x858458f6
/** Types of file systems, as `statfs` reports them, whose files are lost on restart. */
export const MEMORY_FILE_SYSTEMS: readonly number[] = [TMPFS, RAMFS]

/** @throws {Error} if a crash may lose an acknowledged commit on durable storage */
export async function readDurability<Tables>(db: Kysely<Tables>, location: DatabaseLocation): Promise<Durability> {
  return location.dialect === 'sqlite' ? await readSqlite(db, location.path) : await readPostgres(db)
}

async function readSqlite<Tables>(db: Kysely<Tables>, path: string): Promise<Durability> {
  const journalMode = await pragma(db, 'journal_mode')
  const synchronous = SYNCHRONOUS[Number(await pragma(db, 'synchronous'))] ?? 'unknown'
  if (journalMode !== 'wal' && path !== ':memory:') throw new Error(`journal_mode is ${journalMode}, not wal`)
  if (synchronous !== 'full' && synchronous !== 'extra') throw new Error(`synchronous is ${synchronous}, not full`)
  return {
    settings: { journal_mode: journalMode, synchronous },
    ...(await readStorage(path)),
  }
}

async function pragma<Tables>(db: Kysely<Tables>, name: string): Promise<string> {
  const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db)
  return String(rows[0]?.[name])
}

/**
 * Where an SQLite file is, whatever its name, by the type of its file system; the file need not exist.
 * @throws the system's error, if its folder does not exist
 */
export async function readStorage(path: string, temporaryFolder: string = tmpdir()): Promise<Storage> {
  if (path === ':memory:') return { memoryBacked: true, inTemporaryFolder: false }
  const folder = await realpath(dirname(path))
  const { type } = await statfs(folder)
  const memoryBacked = MEMORY_FILE_SYSTEMS.includes(type)
  const fromTemporary = relative(await realpath(temporaryFolder).catch(() => temporaryFolder), folder)
  const inTemporaryFolder = fromTemporary !== '..' && !fromTemporary.startsWith(`..${sep}`)
  return { memoryBacked, inTemporaryFolder: inTemporaryFolder && !memoryBacked }
}

async function readPostgres<Tables>(db: Kysely<Tables>): Promise<Durability> {
  // In a transaction: the settings are made there.
  const { rows } = await db.transaction().execute((transaction) =>
    sql<{ synchronous_commit: string; fsync: string }>`
      select current_setting('synchronous_commit') as synchronous_commit, current_setting('fsync') as fsync
    `.execute(transaction),
  )
  const [settings] = rows
  if (settings === undefined || settings.synchronous_commit === 'off') throw new Error('synchronous_commit is off')
  return { settings: { ...settings }, memoryBacked: false, inTemporaryFolder: false }
}
