// Keeps the memory in step with the database: sessions that were ended, users that were reported, and changes of permissions,
// switches and lesson codes, by this engine or another one, reach it within a second.
import type { RawBuilder, Transaction } from 'kysely'
import type { Transactions } from '../../../database/transactions.ts'
import type { DatabaseClock } from '../database-clock.ts'
import { KEPT_MS } from '../pruning.ts'
import type { StateTables } from '../schema.ts'

export interface SessionSync {
  /** The last revision that the memory has. */
  readonly revision: number
  /** Resolves when the memory has everything that was committed before the call. */
  sync(): Promise<void>
  /** The same after a change that has been committed: never rejects, because the next one repeats it. */
  syncSoon(): Promise<void>
  /** Syncs from now on, several times a second; `report` gets the first failure, and undefined when it has recovered. */
  start(report: (failure: unknown) => void): void
  stop(): void
}

/**
 * Reads what has changed since the known revision, or all of it.
 * @param known undefined where the memory has nothing, or may have what is no longer so
 * @returns puts it into memory
 */
export type ReadChanges = (
  transaction: Transaction<StateTables>,
  now: RawBuilder<number>,
  known: number | undefined,
) => Promise<() => void>

const EVERY_MS = 400

export function createSessionSync(
  transactions: Transactions<StateTables>,
  clock: DatabaseClock,
  readers: readonly ReadChanges[],
): SessionSync {
  let revision: number | undefined
  let syncedAt = 0
  let last: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let hasFailed = false

  async function syncOnce(): Promise<void> {
    const startedAt = performance.now()
    // What was ended longer ago than that may have been pruned.
    const known = startedAt - syncedAt < KEPT_MS / 2 ? revision : undefined
    const read = await transactions.read('read changes', async (transaction) => {
      const { current, reread, now } = await transaction
        .selectFrom('engine_revision')
        .select(['revision as current', 'reread_before as reread', clock.now().as('now')])
        .executeTakeFirstOrThrow()
      // Not after the other reads: as long as they take, sessions would hold too long.
      clock.set(Number(now))
      const isSame = Number(current) === known
      // A smaller one: the database was restored from a backup.
      const isKnown = known !== undefined && Number(current) >= known && known >= Number(reread)
      return {
        current: Number(current),
        apply: isSame ? [] : await readAll(transaction, clock.now(), isKnown ? known : undefined, readers),
      }
    })
    for (const apply of read.apply) apply()
    revision = read.current
    syncedAt = startedAt
  }

  const sync = () => {
    last = last.catch(() => {}).then(syncOnce)
    return last
  }

  return {
    get revision() {
      return revision ?? -1
    },
    sync,
    syncSoon: () => sync().catch(() => {}),
    start(report) {
      const next = async () => {
        try {
          await sync()
          if (hasFailed) report(undefined)
          hasFailed = false
        } catch (error) {
          if (!hasFailed && !isStopped) report(error)
          hasFailed = true
        }
        if (!isStopped) timer = setTimeout(next, EVERY_MS)
      }
      timer = setTimeout(next, EVERY_MS)
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** One after the other: they share a connection. */
async function readAll(
  transaction: Transaction<StateTables>,
  now: RawBuilder<number>,
  known: number | undefined,
  readers: readonly ReadChanges[],
): Promise<readonly (() => void)[]> {
  const all: (() => void)[] = []
  for (const read of readers) all.push(await read(transaction, now, known))
  return all
}
