// Reads back from the database whether an acknowledged commit is durable.
import { realpath, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, relative, sep } from 'node:path'
import { type Kysely, sql } from 'kysely'
import type { LedgerLocation } from './database.ts'
import type { LedgerTables } from './schema.ts'

export interface Durability {
  /** As read back, for the log; no part of the database's address. */
  readonly settings: Readonly<Record<string, string>>
  /** Whether the storage is memory or a temporary folder, so that acceptances are lost on restart. */
  readonly memoryBacked: boolean
}

/** The portal's warning at the start, and the notice of `gatewayctl`. */
export const MEMORY_BACKED =
  'the ledger is memory-backed: acceptances end with the container (on a host, with its next start); to keep them, set ' +
  'GATEWAY_CAPTIVE_DATABASE_URL=sqlite:////var/lib/portal/portal.db (on a volume) or to a postgresql:// URL'

const SYNCHRONOUS = ['off', 'normal', 'full', 'extra']
const TMPFS = 0x01021994
const RAMFS = 0x858458f6
/** Types of file systems, as `statfs` reports them, whose files are lost on restart. */
export const MEMORY_FILE_SYSTEMS: readonly number[] = [TMPFS, RAMFS]

/** @throws {Error} if a crash may lose an acknowledged commit on durable storage */
export async function readDurability(db: Kysely<LedgerTables>, location: LedgerLocation): Promise<Durability> {
  return location.dialect === 'sqlite' ? await readSqlite(db, location.path) : await readPostgres(db)
}

async function readSqlite(db: Kysely<LedgerTables>, path: string): Promise<Durability> {
  const journalMode = await pragma(db, 'journal_mode')
  const synchronous = SYNCHRONOUS[Number(await pragma(db, 'synchronous'))] ?? 'unknown'
  if (journalMode !== 'wal' && path !== ':memory:') throw new Error(`journal_mode is ${journalMode}, not wal`)
  if (synchronous !== 'full' && synchronous !== 'extra') throw new Error(`synchronous is ${synchronous}, not full`)
  return {
    settings: { journal_mode: journalMode, synchronous },
    memoryBacked: path === ':memory:' || (await isMemoryBacked(path)),
  }
}

async function pragma(db: Kysely<LedgerTables>, name: string): Promise<string> {
  const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db)
  return String(rows[0]?.[name])
}

/** Whether a file is on a memory file system or in a temporary folder: a restart removes both. */
export async function isMemoryBacked(path: string, temporaryFolder: string = tmpdir()): Promise<boolean> {
  const folder = await realpath(dirname(path))
  const { type } = await statfs(folder)
  if (MEMORY_FILE_SYSTEMS.includes(type)) return true
  const fromTemporary = relative(await realpath(temporaryFolder).catch(() => temporaryFolder), folder)
  return fromTemporary !== '..' && !fromTemporary.startsWith(`..${sep}`)
}

async function readPostgres(db: Kysely<LedgerTables>): Promise<Durability> {
  // In a transaction: the settings are made there.
  const { rows } = await db.transaction().execute((transaction) =>
    sql<{ synchronous_commit: string; fsync: string }>`
      select current_setting('synchronous_commit') as synchronous_commit, current_setting('fsync') as fsync
    `.execute(transaction),
  )
  const [settings] = rows
  if (settings === undefined || settings.synchronous_commit === 'off') throw new Error('synchronous_commit is off')
  return { settings: { ...settings }, memoryBacked: false }
}
