// Opens the journal, without waiting for its database: an engine whose journal cannot be opened decides all the same.
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseLocation } from '../../settings/sections/database.ts'
import type { Clock } from '../clock.ts'
import type { StateTables } from '../state/schema.ts'
import type { EngineState } from '../state/state.ts'
import type { Journal } from './journal.ts'
import { createJournalDatabase, createReader, type Reader } from './journal-database.ts'
import { deleteAll, retain } from './retention.ts'
import { createRetentionWait } from './retention-wait.ts'
import { createWriter, type WriterOptions } from './writer.ts'

export interface JournalOptions extends Omit<WriterOptions, 'database'> {
  readonly location: DatabaseLocation
  /** The events are in its database. */
  readonly state: Pick<EngineState, 'transactions'>
  readonly stateLocation: DatabaseLocation
  /** Milliseconds of a clock that nobody sets; for tests. */
  readonly monotonic?: Clock
  /** For tests. */
  readonly limits?: { readonly writeMs: number; readonly closeMs: number }
}

const RETENTION_MS = 60_000
const LATE = 'what the journal keeps for too long cannot be deleted now; it is tried again each minute'
const CLOSE_MS = 3_000

export function openJournal({
  location,
  state,
  stateLocation,
  monotonic = () => performance.now(),
  limits,
  ...options
}: JournalOptions): Journal {
  const { settings, clock, log } = options
  const mayRetain = createRetentionWait({ clock, monotonic, log })
  const database = createJournalDatabase(location, limits?.writeMs)
  const reader = createReader<StateTables>(stateLocation)
  const events: Pick<Reader<StateTables>, 'read'> = reader ?? state.transactions
  const writer = createWriter({ ...options, database })
  let isStopping = false
  let hasRetentionFailed = false
  let retaining: Promise<void> = Promise.resolve()

  function runRetention(): Promise<void> {
    const inEvents = { dialect: stateLocation.dialect, transactions: state.transactions }
    const run = () => retain({ database, events: inEvents, settings, isStopping: () => isStopping }, clock())
    retaining = retaining.catch(() => {}).then(run)
    return retaining
  }

  async function runRegularRetention(): Promise<void> {
    if (!mayRetain()) return
    try {
      await runRetention()
      hasRetentionFailed = false
    } catch (error) {
      if (!hasRetentionFailed && !isStopping) log.warn({ err: error }, LATE)
      hasRetentionFailed = true
    }
  }

  writer.flush().then(
    () => log.info('journal open'),
    () => {},
  )
  const timer = setInterval(() => void runRegularRetention(), RETENTION_MS)

  return {
    settings,
    dialect: location.dialect,
    get status() {
      return writer.status
    },
    add: writer.add,
    read: database.read,
    readEvents: (purpose, work) => events.read(purpose, work),
    change: database.run,
    flush: writer.flush,
    retain: runRetention,
    async close() {
      isStopping = true
      clearInterval(timer)
      writer.stop()
      const closed = async () => {
        await writer.flush().catch(() => {})
        await retaining.catch(() => {})
        await Promise.all([database.close(), reader?.close()])
      }
      await Promise.race([closed(), sleep(limits?.closeMs ?? CLOSE_MS)])
      const { queued } = writer.status
      if (queued > 0)
        log.error({ lost: queued }, 'the journal could not be written before the end: these rows are lost')
    },
  }
}

/** Where `days` is 0: deletes what an earlier journal has left. @throws {DatabaseUnavailable} */
export async function emptyJournal({
  location,
  state,
  stateLocation,
}: Pick<JournalOptions, 'location' | 'state' | 'stateLocation'>): Promise<void> {
  const isMissing = location.dialect === 'sqlite' && !existsSync(location.path)
  const database = isMissing ? undefined : createJournalDatabase(location)
  try {
    await deleteAll(database, { dialect: stateLocation.dialect, transactions: state.transactions })
  } finally {
    await database?.close()
  }
}
