// The journal's database: one connection that writes, opened as soon as that is possible, and one for reports. They share
// nothing with those of the state, so that no acknowledgement waits for the journal.
import type { Transaction } from 'kysely'
import { connect } from '../../database/database.ts'
import { openDatabase } from '../../database/open.ts'
import { createTransactions, type Transactions } from '../../database/transactions.ts'
import { absolutePathHint } from '../../database/unavailable.ts'
import type { DatabaseLocation } from '../../settings/sections/database.ts'
import { JournalUnavailable } from './journal-unavailable.ts'
import { JOURNAL_SCHEMA, type JournalTables } from './schema.ts'

type Work<Tables, T> = (transaction: Transaction<Tables>) => Promise<T>

/** Methods reject with JournalUnavailable only. */
export interface JournalDatabase {
  readonly dialect: DatabaseLocation['dialect']
  /** Connects and migrates, unless that has been done. */
  open(): Promise<unknown>
  run<T>(purpose: string, work: Work<JournalTables, T>): Promise<T>
  read<T>(purpose: string, work: Work<JournalTables, T>): Promise<T>
  /** Waits for transactions in progress. */
  close(): Promise<void>
}

export interface Reader<Tables> {
  read<T>(purpose: string, work: Work<Tables, T>): Promise<T>
  close(): Promise<void>
}

const WRITE_LIMIT_MS = 5_000
const READ_LIMIT_MS = 30_000
const CONNECTIONS = 2
const IDLE_MS = 60_000

export function createJournalDatabase(location: DatabaseLocation, writeLimitMs = WRITE_LIMIT_MS): JournalDatabase {
  const reader = createReader<JournalTables>(location)
  let opening: Promise<Transactions<JournalTables>> | undefined

  function open(): Promise<Transactions<JournalTables>> {
    opening ??= openDatabase<JournalTables>(location, {
      schema: JOURNAL_SCHEMA,
      migrate: true,
      limit: writeLimitMs,
      connections: CONNECTIONS,
    }).then(
      ({ db }) => createTransactions(db, JournalUnavailable),
      (error: unknown) => {
        opening = undefined
        throw new JournalUnavailable('be opened', error, absolutePathHint(location))
      },
    )
    return opening
  }

  return {
    dialect: location.dialect,
    open,
    run: async (purpose, work) => (await open()).run(purpose, work),
    async read(purpose, work) {
      // Before that there are no tables.
      const writer = await open()
      return await (reader ?? writer).read(purpose, work)
    },
    async close() {
      await reader?.close()
      const writer = await opening?.catch(() => undefined)
      await writer?.close()
    },
  }
}

/**
 * Connects when something is read, and disconnects a minute after the last read: an SQLite thread takes about 9 MB.
 * @returns undefined for a database in memory, which has one connection only
 */
export function createReader<Tables>(location: DatabaseLocation, idleMs = IDLE_MS): Reader<Tables> | undefined {
  if (location.dialect === 'sqlite' && location.path === ':memory:') return undefined
  const limit = { milliseconds: READ_LIMIT_MS }
  let current: Transactions<Tables> | undefined
  let reading = 0
  let isClosed = false
  let idle: NodeJS.Timeout | undefined

  async function disconnect(): Promise<void> {
    const before = current
    current = undefined
    await before?.close()
  }

  return {
    async read(purpose, work) {
      if (isClosed) throw new JournalUnavailable(purpose, new Error('it is closed'))
      clearTimeout(idle)
      current ??= createTransactions(connect<Tables>(location, limit, 'read only', CONNECTIONS), JournalUnavailable)
      reading++
      try {
        return await current.read(purpose, work)
      } finally {
        if (--reading === 0 && !isClosed) idle = setTimeout(disconnect, idleMs).unref()
      }
    },
    async close() {
      isClosed = true
      clearTimeout(idle)
      await disconnect()
    },
  }
}
