// The engine's state over SQLite or PostgreSQL.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { createFairConcurrencyLimit } from '../../database/fair-concurrency-limit.ts'
import { openDatabase } from '../../database/open.ts'
import { createTransactions, type Transactions } from '../../database/transactions.ts'
import { absolutePathHint } from '../../database/unavailable.ts'
import { cacheResult } from '../../observability/cache-result.ts'
import type { DatabaseLocation } from '../../settings/sections/database.ts'
import type { Clock } from '../clock.ts'
import type { JournalSettings } from '../journal/journal.ts'
import { createAttempts } from './attempts.ts'
import { createDatabaseClock, type DatabaseClock } from './database-clock.ts'
import { createEvents, MAXIMUM_EVENTS } from './events.ts'
import type { StateKeys } from './key-file.ts'
import { createLessonCodeMemory, createLessonCodes, readLessonCodes } from './lesson-codes.ts'
import { createLongUrls } from './long-urls.ts'
import { createStatePeople } from './people.ts'
import { createPermissionMemory, createPermissions, readPermissions } from './permissions.ts'
import { createPresenceMemory, createPresences, MAXIMUM_PRESENCES, readPresences } from './presences.ts'
import { prune } from './pruning.ts'
import { type Capacity, createRowLimits } from './row-limits.ts'
import { STATE_SCHEMA, type StateTables } from './schema.ts'
import { createRedemptions } from './sessions/redemptions.ts'
import { createSessionMemory } from './sessions/session-memory.ts'
import { createSessionSync, type ReadChanges } from './sessions/session-sync.ts'
import { createSessions, readSessions } from './sessions/sessions.ts'
import type { EngineState } from './state.ts'
import type { StateDatabase } from './state-database.ts'
import { StateUnavailable } from './state-unavailable.ts'
import { createSwitches, createSwitchMemory, readSwitches } from './switches.ts'

export interface StateOptions {
  readonly location: DatabaseLocation
  readonly keys: StateKeys
  /** Milliseconds since the epoch. */
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn' | 'info'>
  /** With no days, no events are recorded. */
  readonly journal?: Pick<JournalSettings, 'days' | 'hosts'>
  /** For tests. */
  readonly capacity?: Partial<Capacity>
}

/** 20,000 URLs of maximum length need about 160 MB. */
const CAPACITY: Capacity = {
  ...{ attempts: 200_000, urls: 20_000 },
  ...{ presences: MAXIMUM_PRESENCES, events: MAXIMUM_EVENTS },
}
const JOURNAL = { days: 14, hosts: true }
const STATEMENT_TIMEOUT_MS = 2_000
/** Fewer than the pool has connections, so that sessions can be looked up and synced at the same time. */
const CONCURRENT_WRITES = { sqlite: 2, postgres: 6 }
const WRITE_QUEUE_TIMEOUT_MS = 1_500
const PRUNE_MS = 60_000
const WRITE_CHECK_MS = 10_000

/**
 * Connects, migrates, asserts durability, and reads the live sessions.
 * @throws {StateUnavailable}
 */
export async function openState({ location, keys, clock, log, ...options }: StateOptions): Promise<EngineState> {
  const { dialect } = location
  const opening = openDatabase<StateTables>(location, {
    schema: STATE_SCHEMA,
    migrate: true,
    limit: STATEMENT_TIMEOUT_MS,
  })
  const { db, durability } = await opening.catch((error: unknown) => {
    throw new StateUnavailable('be opened', error, absolutePathHint(location))
  })
  const transactions = createTransactions(db, StateUnavailable)
  const limitWrites = createFairConcurrencyLimit(CONCURRENT_WRITES[dialect], WRITE_QUEUE_TIMEOUT_MS)
  const databaseClock = createDatabaseClock(dialect, clock)
  const rowLimits = createRowLimits(transactions, { ...CAPACITY, ...options.capacity })
  const events = createEvents({ clock: databaseClock, rowLimits, journal: options.journal ?? JOURNAL, log })
  const database: StateDatabase = {
    db,
    dialect,
    transactions,
    clock: databaseClock,
    rowLimits,
    events,
    keys,
    runForVisitor: (purpose, network, work) => transactions.run(purpose, work, (run) => limitWrites(run, network)),
  }
  const sessionMemory = createSessionMemory(databaseClock.current)
  const permissionMemory = createPermissionMemory(databaseClock.current)
  const presenceMemory = createPresenceMemory(databaseClock.current)
  const switchMemory = createSwitchMemory(databaseClock)
  const lessonCodeMemory = createLessonCodeMemory(databaseClock, keys)
  const sync = createSessionSync(transactions, databaseClock, [
    changes(readSessions, sessionMemory),
    changes(readPresences, presenceMemory),
    whole(readPermissions, permissionMemory),
    whole(readSwitches, switchMemory),
    whole(readLessonCodes, lessonCodeMemory),
  ])
  const { longUrls, finish } = createLongUrls(database)
  let isUp = true

  async function pruneAll(): Promise<void> {
    sessionMemory.sweep()
    presenceMemory.sweep()
    await prune(transactions, databaseClock)
    await rowLimits.count()
  }

  try {
    await sync.sync()
  } catch (error) {
    await transactions.close()
    throw error
  }
  await rowLimits.count().catch(() => {})
  sync.start((failure) => {
    isUp = failure === undefined
    if (isUp) log.info('the database responds again')
    else
      log.warn(
        { err: failure },
        'the database does not respond: sessions in memory remain valid, nothing can be acknowledged',
      )
  })
  const pruning = setInterval(() => void pruneAll().catch(() => {}), PRUNE_MS)

  return {
    durability,
    transactions,
    get isUp() {
      return isUp
    },
    writeFault: createWriteCheck(transactions, clock),
    ...createSessions(database, sessionMemory, sync),
    ...createRedemptions(database, sessionMemory, sync),
    ...createAttempts(database),
    ...createPermissions(database, permissionMemory, sync.syncSoon),
    ...createPresences(database, presenceMemory, sync.syncSoon),
    ...createSwitches(database, switchMemory, sync.syncSoon),
    ...createLessonCodes(database, lessonCodeMemory, sessionMemory, sync.syncSoon),
    ...createStatePeople(database, sync.syncSoon, events),
    ...longUrls,
    counts: () => countSessions(transactions, databaseClock),
    get lostEvents() {
      return events.lost
    },
    sync: () => sync.sync(),
    prune: pruneAll,
    async close() {
      sync.stop()
      clearInterval(pruning)
      await finish()
      await transactions.close()
    },
  }
}

/** Of what is small enough to be read as a whole after each change. */
function whole<Row>(
  read: (...from: Parameters<ReadChanges>) => Promise<readonly Row[]>,
  memory: { replace(rows: readonly Row[]): void },
): ReadChanges {
  return async (...from) => {
    const rows = await read(...from)
    return () => memory.replace(rows)
  }
}

function changes<Row>(
  read: (...from: Parameters<ReadChanges>) => Promise<readonly Row[]>,
  memory: { clear(): void; apply(rows: readonly Row[]): void },
): ReadChanges {
  return async (transaction, now, known) => {
    const rows = await read(transaction, now, known)
    return () => {
      if (known === undefined) memory.clear()
      memory.apply(rows)
    }
  }
}

/** In one transaction, so that nobody sees the row; the page is written all the same. */
function createWriteCheck(transactions: Transactions<StateTables>, clock: Clock): () => Promise<string | undefined> {
  return cacheResult(WRITE_CHECK_MS, clock, () =>
    transactions
      .run('be written', async (transaction) => {
        const reference = `readiness ${randomUUID()}`
        await transaction.insertInto('engine_redemption').values({ reference, expires_at: 0 }).execute()
        await transaction.deleteFrom('engine_redemption').where('reference', '=', reference).execute()
      })
      .then(
        () => undefined,
        (error: StateUnavailable) => error.message,
      ),
  )
}

async function countSessions(transactions: Transactions<StateTables>, clock: DatabaseClock) {
  return await transactions.read('count sessions', async (transaction) => {
    const { rows } = await sql<{ sessions: number | string; lockouts: number | string }>`
      select (select count(*) from engine_session where expires_at > ${clock.now()}) as sessions,
        (select count(*) from engine_attempt where expires_at > ${clock.now()} and used >= allowed) as lockouts
    `.execute(transaction)
    return { sessions: Number(rows[0]?.sessions), lockouts: Number(rows[0]?.lockouts) }
  })
}
