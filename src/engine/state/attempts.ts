// Limits guessing of codes: an attempt is counted before its code is compared, in one conditional statement, so that
// neither a restart nor a second engine allows an extra guess. Too many start a lockout.
import { createHmac, type KeyObject } from 'node:crypto'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { DatabaseLocation } from '../../settings/sections/database.ts'
import type { Identity } from '../request/decision-request.ts'
import { after } from './database-clock.ts'
import type { AboutVerdict, CountedAttempt } from './events.ts'
import { eventScope, type StateFilter, selectionOf } from './filter.ts'
import { lockoutHolder, userOf } from './holder.ts'
import type { StateTables } from './schema.ts'
import type { StateDatabase } from './state-database.ts'

export interface Attempts {
  /** Counts an attempt; to be called before its code is compared. The same one within five seconds counts once. */
  reserveAttempt(attempt: NewAttempt): Promise<Reservation>
  lockouts(filter: StateFilter, limit: number): Promise<readonly LockoutRecord[]>
  /** Forgets attempts, also those that have not led to a lockout. @returns the number of counts */
  endLockouts(filter: StateFilter): Promise<number>
}

export interface NewAttempt extends AboutVerdict {
  readonly rule: string
  readonly identity: Identity
  /** The verdict's id. */
  readonly reference: string
  /** As the visitor entered it; stored as a keyed hash only. */
  readonly code: string
  readonly limits: AttemptLimits
}

interface AttemptLimits {
  /** Number of wrong codes that starts a lockout. */
  readonly attempts: number
  readonly lockoutMs: number
}

export type Reservation =
  /** `left` is how many remain if the code is wrong; the time is by the database's clock. */
  | { readonly kind: 'reserved'; readonly left: number; readonly countedAt: number }
  | { readonly kind: 'locked out'; readonly retryAfterMs: number }
  /** No further holder can be counted, so no code may be compared. */
  | { readonly kind: 'full' }

interface LockoutRecord {
  readonly rule: string
  readonly user: string | undefined
  /** Undefined for a user's. */
  readonly client: string | undefined
  /** Milliseconds since the epoch, by the database's clock. */
  readonly expiresAt: number
}

export interface RightCode {
  readonly code: string
  /** Whether the rule has others, too. Who has one of them could otherwise guess the others, and reset the count in between. */
  readonly isOneOfSeveral: boolean
  readonly lockoutMs: number
  /** As the attempt was reserved. */
  readonly countedAt?: number | undefined
  /** The id of the lesson code that it is. */
  readonly lessonCode?: string | undefined
}

interface AttemptKey {
  readonly holder: string
  readonly rule_name: string
}

/** Before the network of a client in `holder`. */
const CLIENT = 'client '
const HOLDERS = { table: 'engine_attempt', column: 'holder', prefix: CLIENT } as const
/** Browsers and proxies repeat a request after a broken connection: that is not a second guess. */
const RESEND_MS = 5_000
const TIME_DIGITS = 13

export function createAttempts(database: StateDatabase): Attempts {
  const { dialect, transactions, clock, rowLimits, events, keys } = database
  return {
    async reserveAttempt({ code, limits, ...attempt }) {
      const { rule, identity, reference } = attempt
      const key = { holder: lockoutHolder(identity), rule_name: rule }
      const fingerprint = fingerprintOf(keys.fingerprint, reference, code)
      const reservation = await database.runForVisitor(
        'count an attempt',
        identity.client.network,
        async (transaction) => {
          // Now: it may have waited behind others.
          const isFull = rowLimits.room('attempts') === 0
          const counted = await countAttempt(transaction, dialect, clock.now(), key, fingerprint, limits, isFull)
          if (counted.kind === 'reserved') {
            const { left, countedAt } = counted
            await events.attempted(transaction, { ...attempt, left, attempt: { countedAt, fingerprint } })
          }
          return counted
        },
      )
      const isFirst = reservation.kind === 'reserved' && reservation.left === limits.attempts - 1
      if (isFirst) rowLimits.added('attempts', 1)
      return reservation
    },
    async lockouts(filter, limit) {
      const rows = await transactions.read('list lockouts', async (transaction) =>
        transaction
          .selectFrom('engine_attempt')
          .select(['holder', 'rule_name', 'expires_at'])
          .where('expires_at', '>', clock.now())
          .whereRef('used', '>=', 'allowed')
          .where(await selectionOf(transaction, dialect, filter, HOLDERS))
          .orderBy('expires_at', 'desc')
          .limit(limit)
          .execute(),
      )
      return rows.map(({ holder, rule_name, expires_at }) => {
        const user = userOf(holder)
        const client = user === undefined ? holder.slice(CLIENT.length) : undefined
        return { rule: rule_name, user, client, expiresAt: Number(expires_at) }
      })
    },
    async endLockouts(filter) {
      return await transactions.run('end lockouts', async (transaction) => {
        const { numDeletedRows } = await transaction
          .deleteFrom('engine_attempt')
          .where(await selectionOf(transaction, dialect, filter, HOLDERS))
          .executeTakeFirstOrThrow()
        const ended = Number(numDeletedRows)
        if (ended > 0)
          await events.administered(transaction, [{ event: 'lockouts.ended', ...eventScope(filter), ended }])
        return ended
      })
    },
  }
}

/** After a right code: forgets the wrong ones before it, or takes back this attempt alone where the rule has other codes. */
export async function settleAttempts(
  transaction: Transaction<StateTables>,
  { dialect, keys }: Pick<StateDatabase, 'dialect' | 'keys'>,
  {
    reference,
    rule,
    identity,
    rightCode,
  }: Omit<NewAttempt, 'code' | 'limits'> & { readonly rightCode: RightCode | undefined },
): Promise<void> {
  if (rightCode === undefined) return
  const { code, isOneOfSeveral, lockoutMs } = rightCode
  const key = { holder: lockoutHolder(identity), rule_name: rule }
  if (!isOneOfSeveral) return await resetAttempts(transaction, key)
  await returnAttempt(transaction, dialect, key, fingerprintOf(keys.fingerprint, reference, code), lockoutMs)
}

/** As it was counted; undefined without a code. */
export function countedAttempt(
  { keys }: Pick<StateDatabase, 'keys'>,
  reference: string,
  rightCode: RightCode | undefined,
): CountedAttempt | undefined {
  if (rightCode?.countedAt === undefined) return undefined
  const { code, countedAt } = rightCode
  return { countedAt, fingerprint: fingerprintOf(keys.fingerprint, reference, code) }
}

/** Identifies a repeated request. Without the key, nobody who reads the database can try codes against it. */
function fingerprintOf(key: KeyObject, reference: string, code: string): string {
  return createHmac('sha256', key).update(`${reference} ${code}`).digest('base64url').slice(0, 16)
}

/**
 * Counts an attempt unless the same one was counted within five seconds.
 * @param isFull whether no further holders can be added, only existing counts updated
 */
async function countAttempt(
  transaction: Transaction<StateTables>,
  dialect: DatabaseLocation['dialect'],
  now: RawBuilder<number>,
  { holder, rule_name }: AttemptKey,
  fingerprint: string,
  { attempts, lockoutMs }: AttemptLimits,
  isFull: boolean,
): Promise<Reservation> {
  const until = after(now, lockoutMs)
  const entryAt = (time: RawBuilder<number>) =>
    sql<string>`cast(${` ${fingerprint}:`} as text) || cast(${time} as text)`
  const entry = entryAt(now)
  // A count expires one lockout period after its last attempt: guessing slowly gains nothing.
  const hasEnded = sql<boolean>`engine_attempt.expires_at <= ${now}`
  const at = placeOf(dialect, fingerprint)
  const countedAt = sql`cast(substr(engine_attempt.recent, ${at} + ${sql.lit(fingerprint.length + 2)}, ${sql.lit(TIME_DIGITS)}) as bigint)`
  const isResent = sql<boolean>`case when ${at} > 0 then ${countedAt} > ${now} - ${sql.lit(RESEND_MS)} else false end`
  // Of attempts in the same millisecond, each gets its own, so that the journal has them in their order.
  const newest = sql<number>`cast(substr(engine_attempt.recent, ${sql.lit(fingerprint.length + 3)}, ${sql.lit(TIME_DIGITS)}) as bigint)`
  const further = entryAt(sql<number>`(case when ${newest} < ${now} then ${now} else ${newest} + 1 end)`)
  const next = {
    used: sql<number>`case when ${hasEnded} then 1 when ${isResent} then engine_attempt.used else engine_attempt.used + 1 end`,
    recent: sql<string>`case when ${hasEnded} then ${entry} when ${isResent} then engine_attempt.recent else ${further} || engine_attempt.recent end`,
    expires_at: sql<number>`case when ${hasEnded} or not ${isResent} then ${until} else engine_attempt.expires_at end`,
    allowed: attempts,
  }
  const mayBeCounted = sql<boolean>`(${hasEnded} or engine_attempt.used < cast(${attempts} as integer))`
  const counted = isFull
    ? await transaction
        .updateTable('engine_attempt')
        .set(next)
        .where('holder', '=', holder)
        .where('rule_name', '=', rule_name)
        .where(mayBeCounted)
        .returning(['used', 'recent'])
        .executeTakeFirst()
    : await transaction
        .insertInto('engine_attempt')
        .values({ holder, rule_name, used: 1, allowed: attempts, recent: entry, expires_at: until })
        .onConflict((conflict) => conflict.columns(['holder', 'rule_name']).doUpdateSet(next).where(mayBeCounted))
        .returning(['used', 'recent'])
        .executeTakeFirst()
  if (counted !== undefined) {
    const { used, recent } = counted
    const time = recent.indexOf(` ${fingerprint}:`) + fingerprint.length + 2
    const countedAt = Number(recent.slice(time, time + TIME_DIGITS))
    return { kind: 'reserved', left: Math.max(0, attempts - used), countedAt }
  }
  const locked = await transaction
    .selectFrom('engine_attempt')
    .select(sql<number | string>`expires_at - ${now}`.as('remaining'))
    .where('holder', '=', holder)
    .where('rule_name', '=', rule_name)
    .executeTakeFirst()
  if (locked === undefined) return { kind: 'full' }
  return { kind: 'locked out', retryAfterMs: Math.max(1, Number(locked.remaining)) }
}

async function resetAttempts(transaction: Transaction<StateTables>, key: AttemptKey): Promise<void> {
  await transaction
    .deleteFrom('engine_attempt')
    .where('holder', '=', key.holder)
    .where('rule_name', '=', key.rule_name)
    .execute()
}

/** Once for each time that it was counted. The count then expires as if it had not been made. */
async function returnAttempt(
  transaction: Transaction<StateTables>,
  dialect: DatabaseLocation['dialect'],
  key: AttemptKey,
  fingerprint: string,
  lockoutMs: number,
): Promise<void> {
  const at = placeOf(dialect, fingerprint)
  const entry = sql.lit(fingerprint.length + 2 + TIME_DIGITS)
  const others = sql<string>`(substr(recent, 1, ${at} - 1) || substr(recent, ${at} + ${entry}))`
  // The latest is the first.
  const latest = sql<number>`cast(substr(${others}, ${sql.lit(fingerprint.length + 3)}, ${sql.lit(TIME_DIGITS)}) as bigint)`
  // The update first, which holds the row: between a deletion and an update, another engine could count an attempt.
  await transaction
    .updateTable('engine_attempt')
    .set({
      used: sql<number>`used - 1`,
      recent: others,
      expires_at: sql<number>`case when used = 1 then expires_at else ${after(latest, lockoutMs)} end`,
    })
    .where('holder', '=', key.holder)
    .where('rule_name', '=', key.rule_name)
    .where(sql<boolean>`${at} > 0`)
    .execute()
  await transaction
    .deleteFrom('engine_attempt')
    .where('holder', '=', key.holder)
    .where('rule_name', '=', key.rule_name)
    .where('used', '=', 0)
    .execute()
}

/** Where the latest entry of this fingerprint begins in `recent`; 0 without one. */
function placeOf(dialect: DatabaseLocation['dialect'], fingerprint: string): RawBuilder<number> {
  const position = sql.raw<number>(dialect === 'sqlite' ? 'instr' : 'strpos')
  return sql<number>`${position}(engine_attempt.recent, cast(${` ${fingerprint}:`} as text))`
}
