// The engine's state over SQLite or PostgreSQL.
import { randomUUID } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { Logger } from 'pino'
import { createFairConcurrencyLimit } from '../../database/fair-concurrency-limit.ts'
import { openDatabase } from '../../database/open.ts'
import { createTransactions } from '../../database/transactions.ts'
import { cacheResult } from '../../observability/cache-result.ts'
import { absolutePathHint } from '../../settings/sections/absolute-path-hint.ts'
import type { DatabaseLocation } from '../../settings/sections/database.ts'
import { endLockouts, endSessions, nextRevision, readLockouts, readSessions } from './administration.ts'
import { fingerprintOf, reserveAttempt, resetAttempts, returnAttempt } from './attempts.ts'
import { createDatabaseClock } from './database-clock.ts'
import type { Clock } from './expiring-map.ts'
import { lockoutHolder, sessionHolder } from './holder.ts'
import type { StateKeys } from './key-file.ts'
import { createLongUrlQueue } from './long-urls.ts'
import { createPermissionMemory, insertPermission, readPermissions } from './permissions.ts'
import { prune } from './pruning.ts'
import { type Capacity, createRowLimits } from './row-limits.ts'
import { STATE_SCHEMA, type StateTables } from './schema.ts'
import { createFollowing } from './sessions/following.ts'
import { redeem } from './sessions/redeeming.ts'
import { createSessionLookups } from './sessions/session-lookups.ts'
import { createSessionMemory } from './sessions/session-memory.ts'
import type { EngineState } from './state.ts'
import { StateUnavailable } from './state-unavailable.ts'

export interface StateOptions {
  readonly location: DatabaseLocation
  readonly keys: StateKeys
  /** Milliseconds since the epoch. */
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn' | 'info'>
  /** For tests. */
  readonly capacity?: Partial<Capacity>
}

/** 20,000 URLs of maximum length need about 160 MB. */
const CAPACITY: Capacity = { attempts: 200_000, urls: 20_000 }
const LIMIT = 2_000
/** Fewer than the pool has connections, so that sessions can be looked up and followed at the same time. */
const CONCURRENT_WRITES = { sqlite: 2, postgres: 6 }
const QUEUE_TIMEOUT = 1_500
const PRUNE_MS = 60_000
/** Each further one needs a change that another engine or an administrator has made during the one before. */
const MAXIMUM_LOOKUPS = 5
const WRITE_CHECK_MS = 10_000

/**
 * Connects, migrates, asserts durability, and reads the live sessions.
 * @throws {StateUnavailable}
 */
export async function openState({ location, keys, clock, log, ...options }: StateOptions): Promise<EngineState> {
  const { dialect } = location
  const opening = openDatabase<StateTables>(location, { schema: STATE_SCHEMA, migrate: true, limit: LIMIT })
  const { db, durability } = await opening.catch((error: unknown) => {
    throw new StateUnavailable('be opened', error, absolutePathHint(location))
  })
  const transactions = createTransactions(db, StateUnavailable)
  const limitWrites = createFairConcurrencyLimit(CONCURRENT_WRITES[dialect], QUEUE_TIMEOUT)
  const databaseClock = createDatabaseClock(dialect, clock)
  const now = databaseClock.now
  const sessions = createSessionMemory(databaseClock.current)
  const permissions = createPermissionMemory(databaseClock.current)
  const following = createFollowing(transactions, databaseClock, sessions, permissions)
  const rowLimits = createRowLimits(transactions, { ...CAPACITY, ...options.capacity })
  let isUp = true

  // Without a transaction: it is one statement, and the caller has its own time limit.
  const readSessionsOf = (holders: readonly string[]) =>
    db
      .selectFrom('engine_session')
      .select(['holder', 'rule_name', 'expires_at'])
      .where('holder', 'in', holders)
      .where('expires_at', '>', now())
      .execute()
  const lookups = createSessionLookups(async (holders) => {
    // If the memory has followed in the meantime, some may have been ended: they are read again.
    for (let attempt = 0; attempt < MAXIMUM_LOOKUPS; attempt++) {
      const { revision } = following
      const found = await readSessionsOf(holders)
      if (following.revision !== revision) continue
      sessions.apply(found)
      return
    }
  }, sessions.has)
  const later = (milliseconds: number) => sql<number>`${now()} + cast(${milliseconds} as bigint)`
  const urls = createLongUrlQueue(async (batch) => {
    const fitting = batch.slice(0, rowLimits.room('urls'))
    if (fitting.length === 0) return
    await transactions.run('keep URLs', async (transaction) => {
      await transaction
        .insertInto('engine_url')
        .values(fitting.map(({ digest, url, milliseconds }) => ({ digest, url, expires_at: later(milliseconds) })))
        .onConflict((conflict) =>
          conflict.column('digest').doUpdateSet(({ ref }) => ({ expires_at: ref('excluded.expires_at') })),
        )
        .execute()
    })
    rowLimits.added('urls', fitting.length)
  })
  /** The change has been committed, even if the memory cannot follow immediately. */
  const followNow = () => following.follow().catch(() => {})

  /** In one transaction, so that nobody sees the row; the page is written all the same. */
  const writeFault = cacheResult(WRITE_CHECK_MS, clock, () =>
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

  async function pruneAll(): Promise<void> {
    sessions.sweep()
    await prune(transactions, databaseClock)
    await rowLimits.count()
  }

  try {
    await following.follow()
  } catch (error) {
    await transactions.close()
    throw error
  }
  await rowLimits.count().catch(() => {})
  following.start((failure) => {
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
    get isUp() {
      return isUp
    },
    writeFault,
    hasSession: (rule, identity) => sessions.has(sessionHolder(identity), rule),
    findSession: (rule, identity) => lookups.find(sessionHolder(identity), rule),
    permissionFor: (host) => permissions.find(host),
    async reserveAttempt({ rule, identity, reference, code, limits }) {
      const key = { holder: lockoutHolder(identity), rule_name: rule }
      const fingerprint = fingerprintOf(keys.fingerprint, reference, code)
      const reservation = await transactions.run(
        'count an attempt',
        (transaction) => {
          // Now: it may have waited behind others.
          const isFull = rowLimits.room('attempts') === 0
          return reserveAttempt(transaction, dialect, now(), key, fingerprint, limits, isFull)
        },
        (run) => limitWrites(run, identity.client.network),
      )
      const isFirst = reservation.kind === 'reserved' && reservation.left === limits.attempts - 1
      if (isFirst) rowLimits.added('attempts', 1)
      return reservation
    },
    async redeem({ reference, rule, identity, sessionMs, redeemableMs, rightCode }) {
      const holder = sessionHolder(identity)
      const key = { holder: lockoutHolder(identity), rule_name: rule }
      const settle = (transaction: Transaction<StateTables>) => {
        if (rightCode === undefined) return Promise.resolve()
        const { code, isOneOfSeveral, lockoutMs } = rightCode
        if (!isOneOfSeveral) return resetAttempts(transaction, key)
        return returnAttempt(transaction, dialect, key, fingerprintOf(keys.fingerprint, reference, code), lockoutMs)
      }
      const { revision } = following
      const expires_at = await transactions.run(
        'redeem a verdict',
        async (transaction) => {
          const expiresAt = await redeem(transaction, now(), {
            ...{ reference, rule, holder, sessionMs, redeemableMs },
            clientAddress: identity.client.address,
          })
          await settle(transaction)
          return expiresAt
        },
        (run) => limitWrites(run, identity.client.network),
      )
      // If the memory has followed in the meantime, the session may have been ended: it will be looked up.
      if (expires_at !== undefined && following.revision === revision) {
        sessions.apply([{ holder, rule_name: rule, expires_at }])
      }
      return { repeated: expires_at === undefined }
    },
    rememberUrl(url) {
      if (rowLimits.room('urls') > 0) urls.add(url)
    },
    async findUrl(digest) {
      const waiting = urls.find(digest)
      if (waiting !== undefined) return waiting
      const reading = transactions.read('find a URL', (transaction) =>
        transaction.selectFrom('engine_url').select('url').where('digest', '=', digest).executeTakeFirst(),
      )
      return (await reading.catch(() => undefined))?.url
    },
    sessions: (filter, most) =>
      transactions.read('list sessions', (transaction) => readSessions(transaction, now(), filter, most)),
    async endSessions(filter) {
      const ended = await transactions.run('end sessions', (transaction) => endSessions(transaction, now(), filter))
      sessions.apply(ended)
      await followNow()
      return ended.length
    },
    lockouts: (filter, most) =>
      transactions.read('list lockouts', (transaction) => readLockouts(transaction, now(), filter, most)),
    endLockouts: (filter) => transactions.run('end lockouts', (transaction) => endLockouts(transaction, filter)),
    permissions: () => transactions.read('list permissions', (transaction) => readPermissions(transaction, now())),
    async permit(permission) {
      const permitted = await transactions.run('permit a host', async (transaction) => {
        await nextRevision(transaction)
        return await insertPermission(transaction, now(), permission)
      })
      await followNow()
      return permitted
    },
    async revoke(id) {
      const isRevoked = await transactions.run('revoke a permission', async (transaction) => {
        await nextRevision(transaction)
        const { numDeletedRows } = await transaction
          .deleteFrom('engine_permission')
          .where('id', '=', id)
          .executeTakeFirst()
        return numDeletedRows > 0n
      })
      await followNow()
      return isRevoked
    },
    counts: () =>
      transactions.read('count sessions', async (transaction) => {
        const { rows } = await sql<{ sessions: number | string; lockouts: number | string }>`
          select (select count(*) from engine_session where expires_at > ${now()}) as sessions,
            (select count(*) from engine_attempt where expires_at > ${now()} and used >= allowed) as lockouts
        `.execute(transaction)
        return { sessions: Number(rows[0]?.sessions), lockouts: Number(rows[0]?.lockouts) }
      }),
    follow: () => following.follow(),
    prune: pruneAll,
    async close() {
      following.stop()
      clearInterval(pruning)
      await urls.finish()
      await transactions.close()
    },
  }
}
