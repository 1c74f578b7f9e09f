// Writes what is queued each second, or when a batch is full. While the database fails it tries again, less and less often; what
// does not fit into the queue meanwhile is lost, counted and logged. It never throws at a decision.
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { StopRecord } from '../monitoring/stopped-requests.ts'
import type { Tally } from '../monitoring/tally.ts'
import type { ZoneClock } from '../policy/schedule/zone-clock.ts'
import { createAllowedTotals } from './allowed.ts'
import type { JournalSettings, JournalStatus } from './journal.ts'
import type { JournalDatabase } from './journal-database.ts'
import { currentKeys, keyAt, pseudonymOf } from './pseudonyms.ts'
import { type DescribingPolicy, hourOf, type StopRow, stopRows } from './rows.ts'
import { type Batch, isRefusal, isWritten, writeBatch } from './write-batch.ts'

export interface WriterOptions {
  readonly database: JournalDatabase
  readonly settings: JournalSettings
  /** Read for each batch. */
  readonly policies: { readonly current: DescribingPolicy }
  readonly tally: Pick<Tally, 'decisions'>
  readonly zone: ZoneClock
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Of the queue; for tests. */
  readonly capacity?: number | undefined
}

export interface Writer {
  add(stopped: StopRecord): void
  readonly status: JournalStatus
  /** @throws {JournalUnavailable} */
  flush(): Promise<void>
  /** Writes no more by itself. */
  stop(): void
}

interface PendingBatch extends Batch {
  /** Whether it may have been committed by a transaction that failed. */
  wasTried: boolean
}

/** Twenty seconds of a thousand stops each. With the longest URLs and users, 20,000 rows take about 20 MB. */
const CAPACITY = 20_000
/** Composing it blocks decisions for about a millisecond. */
const BATCH = 500
const FLUSH_MS = 1_000
/** Without stopped requests, the totals of allowed ones are written this often: each commit is a write to the disk. */
const ALLOWED_MS = 10_000
const MAXIMUM_WAIT_MS = 30_000
const LOST_LOG_MS = 60_000

export function createWriter({
  database,
  settings,
  policies,
  tally,
  zone,
  clock,
  log,
  capacity = CAPACITY,
}: WriterOptions): Writer {
  /** Stopped requests that are not written yet. Bounded: while the database is away, the engine must neither wait nor grow. */
  const queue: StopRecord[] = []
  const allowed = createAllowedTotals(tally)
  let allowedWrittenAt = 0
  let pending: PendingBatch[] = []
  let fault: string | undefined
  let isUp = true
  let hasWritten = false
  /** Rows that have been taken from the queue. */
  let taken = 0
  let [written, lost, lostLogged, lostLoggedAt] = [0, 0, 0, -Infinity]
  let running: Promise<void> = Promise.resolve()
  let isBusy = false
  let [waitMs, retryAt] = [0, 0]

  /** The next batch; undefined if nothing has to be written. */
  function nextBatch(isComplete: boolean): PendingBatch | undefined {
    allowed.update(hourOf(clock(), zone), policies.current)
    const [first] = pending
    if (first !== undefined) return first
    const stops = stopRows(queue.splice(0, BATCH), policies.current, { hosts: settings.hosts, zone })
    taken += stops.length
    const isDue = stops.length > 0 || isComplete || performance.now() - allowedWrittenAt >= ALLOWED_MS
    const totals = isDue ? allowed.take() : []
    if (stops.length === 0 && totals.length === 0) return undefined
    const batch = { stops, allowed: totals, wasTried: false }
    pending.push(batch)
    return batch
  }

  async function write(batch: PendingBatch): Promise<void> {
    let isRefused = false
    try {
      await database.run('be written', async (transaction) => {
        if (batch.wasTried && (await isWritten(transaction, batch))) return
        const stops = settings.personDays === 0 ? await withPseudonyms(transaction, batch.stops) : batch.stops
        await writeBatch(transaction, database.dialect, { ...batch, stops }).catch((error: unknown) => {
          isRefused = isRefusal(error)
          throw error
        })
      })
      pending.shift()
      written += batch.stops.length
      allowedWrittenAt = performance.now()
    } catch (error) {
      batch.wasTried = true
      if (!isRefused) throw error
      divide(batch, error)
    }
  }

  async function withPseudonyms(
    transaction: Parameters<typeof currentKeys>[0],
    stops: readonly StopRow[],
  ): Promise<readonly StopRow[]> {
    const now = clock()
    const key = keyAt(await currentKeys(transaction, now, settings.days), now)
    return stops.map(([at, reference, verdict, rule, category, list, entry, host, client, user, group, , hour]) => [
      ...([at, reference, verdict, rule, category, list, entry, host] as const),
      pseudonymOf(key, 'client', client),
      user === null ? null : pseudonymOf(key, 'user', user),
      group,
      key.id,
      hour,
    ])
  }

  /** One row that the database refuses must not lose the others. */
  function divide({ stops, allowed }: PendingBatch, error: unknown): void {
    pending.shift()
    if (stops.length + allowed.length <= 1) {
      lost += stops.length
      log.error({ err: error }, 'the journal refuses a row: it is lost')
      return
    }
    const half = Math.ceil(stops.length / 2)
    const parts =
      stops.length === 0
        ? allowed.map((one) => ({ stops, allowed: [one] }))
        : [
            { stops: stops.slice(0, half), allowed: [] },
            { stops: stops.slice(half), allowed: [] },
            { stops: [], allowed },
          ]
    pending = [
      ...parts
        .filter((part) => part.stops.length + part.allowed.length > 0)
        .map((part) => ({ ...part, wasTried: false })),
      ...pending,
    ]
  }

  async function drain(isComplete: boolean): Promise<void> {
    isBusy = true
    try {
      await database.open()
      const end = taken + queue.length
      for (let batch = nextBatch(isComplete); batch !== undefined; batch = nextBatch(isComplete)) {
        await write(batch)
        // What has come meanwhile waits for the next second, unless it fills a batch.
        if (taken >= end && pending.length === 0 && (isComplete || queue.length < BATCH)) break
      }
      succeeded()
    } catch (error) {
      failed(error as Error)
      throw error
    } finally {
      isBusy = false
    }
  }

  function succeeded(): void {
    if (!isUp) log.info({ lost }, 'the journal is written again')
    ;[isUp, fault, waitMs, retryAt, hasWritten] = [true, undefined, 0, 0, true]
  }

  function failed(error: Error): void {
    const lead = hasWritten ? 'cannot be written' : 'cannot be opened'
    if (isUp) log.error({ err: error }, `the journal ${lead}: ${UNTIL_THEN}`)
    waitMs = Math.min(Math.max(FLUSH_MS, waitMs * 2), MAXIMUM_WAIT_MS)
    ;[isUp, fault, retryAt] = [false, error.message, performance.now() + waitMs]
  }

  function start(isComplete: boolean): Promise<void> {
    running = running.catch(() => {}).then(() => drain(isComplete))
    return running
  }

  function writeSoon(): void {
    if (!isBusy && performance.now() >= retryAt) start(false).catch(() => {})
  }

  function reportLost(): void {
    if (lost === lostLogged || performance.now() - lostLoggedAt < LOST_LOG_MS) return
    log.error({ lost: lost - lostLogged, fault }, `stopped requests are missing in the journal: ${REMEDY}`)
    ;[lostLogged, lostLoggedAt] = [lost, performance.now()]
  }

  const timer = setInterval(() => {
    writeSoon()
    reportLost()
  }, FLUSH_MS)

  return {
    add(stopped) {
      if (queue.length >= capacity) {
        lost++
        return
      }
      queue.push(stopped)
      if (queue.length === BATCH) setImmediate(writeSoon)
    },
    get status() {
      const inBatches = pending.reduce((sum, { stops }) => sum + stops.length, 0)
      return { isUp, fault, queued: queue.length + inBatches, written, lost }
    },
    flush: () => start(true),
    stop: () => clearInterval(timer),
  }
}

const UNTIL_THEN =
  'decisions go on without it, and it is tried again; 20,000 stopped requests wait in memory, more are lost'
const REMEDY = 'its database is away, full or too slow (docs/journal.md, "When its database fails")'
