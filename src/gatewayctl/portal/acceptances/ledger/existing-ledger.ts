// Opens a ledger that a portal has created, for maintenance next to a running portal. Creates and migrates nothing.
import { access, constants, stat } from 'node:fs/promises'
import type { AccessMode, Transaction } from 'kysely'
import { connect } from '../../../../database/database.ts'
import { assertMigrated } from '../../../../database/migrating.ts'
import { LedgerUnavailable, openingFailed } from '../../../../ledger/ledger-unavailable.ts'
import { LEDGER_SCHEMA } from '../../../../ledger/migrations.ts'
import type { LedgerTables } from '../../../../ledger/schema.ts'
import type { DatabaseLocation } from '../../../../settings/sections/database.ts'

/** No visitor waits here, and a search for a rare value may scan every row. */
const STATEMENT_TIMEOUT_MS = 300_000

/** Its transactions last at most five minutes; `purpose` completes the sentence "the ledger could not …". */
export interface ExistingLedger {
  /** From one snapshot, without blocking writers. @throws {LedgerUnavailable} */
  read<T>(purpose: string, work: (transaction: Transaction<LedgerTables>) => Promise<T>): Promise<T>
  /** @throws {LedgerUnavailable} */
  write<T>(purpose: string, work: (transaction: Transaction<LedgerTables>) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/**
 * Connects to a ledger whose schema is up to date.
 * @throws {LedgerUnavailable}
 */
export async function openExisting(location: DatabaseLocation, accessMode: AccessMode): Promise<ExistingLedger> {
  const db = connect<LedgerTables>(location, { milliseconds: STATEMENT_TIMEOUT_MS }, accessMode)
  try {
    if (location.dialect === 'sqlite') await assertFile(location.path)
    await assertMigrated(db, LEDGER_SCHEMA)
  } catch (error) {
    await db.destroy().catch(() => {})
    throw openingFailed(location, error)
  }
  return {
    read: (purpose, work) =>
      orUnavailable(
        purpose,
        db.transaction().setAccessMode('read only').setIsolationLevel('repeatable read').execute(work),
      ),
    write: (purpose, work) => orUnavailable(purpose, db.transaction().execute(work)),
    close: () => db.destroy().catch(() => {}),
  }
}

async function assertFile(path: string): Promise<void> {
  if (path === ':memory:') throw new Error('it is in the memory of the portal, which no other process can read')
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`there is no file ${path}`) : error
  })
  if (!found.isFile()) throw new Error(`${path} is not a file`)
  await access(path, constants.R_OK)
}

async function orUnavailable<T>(purpose: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new LedgerUnavailable(purpose, error)
  }
}
