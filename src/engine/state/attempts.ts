// Limits guessing of codes: an attempt is counted before its code is compared, in one conditional statement, so that
// neither a restart nor a second engine allows an extra guess. Too many start a lockout.
import { createHmac, type KeyObject } from 'node:crypto'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { DatabaseLocation } from '../../settings/sections/database.ts'
import type { StateTables } from './schema.ts'

export interface AttemptLimits {
  /** Number of wrong codes that starts a lockout. */
  readonly attempts: number
  readonly lockoutMs: number
}

export type Reservation =
  /** `left` is how many remain if the code is wrong. */
  | { readonly kind: 'reserved'; readonly left: number }
  | { readonly kind: 'locked out'; readonly retryAfterMs: number }
  /** No further holder can be counted, so no code may be compared. */
  | { readonly kind: 'full' }

export interface AttemptKey {
  readonly holder: string
  readonly rule_name: string
}

/** Browsers and proxies repeat a request after a broken connection: that is not a second guess. */
const RESEND_MS = 5_000
const TIME_DIGITS = 13

/** Identifies a repeated request. Without the key, nobody who reads the database can try codes against it. */
export function fingerprintOf(key: KeyObject, reference: string, code: string): string {
  return createHmac('sha256', key).update(`${reference} ${code}`).digest('base64url').slice(0, 16)
}

/**
 * Counts an attempt unless the same one was counted within five seconds.
 * @param isFull whether no further holders can be added, only existing counts updated
 */
export async function reserveAttempt(
  transaction: Transaction<StateTables>,
  dialect: DatabaseLocation['dialect'],
  now: RawBuilder<number>,
  { holder, rule_name }: AttemptKey,
  fingerprint: string,
  { attempts, lockoutMs }: AttemptLimits,
  isFull: boolean,
): Promise<Reservation> {
  const until = sql<number>`${now} + cast(${lockoutMs} as bigint)`
  const entry = sql<string>`cast(${` ${fingerprint}:`} as text) || cast(${now} as text)`
  // A count expires one lockout period after its last attempt: guessing slowly gains nothing.
  const hasEnded = sql<boolean>`engine_attempt.expires_at <= ${now}`
  const at = placeOf(dialect, fingerprint)
  const countedAt = sql`cast(substr(engine_attempt.recent, ${at} + ${sql.lit(fingerprint.length + 2)}, ${sql.lit(TIME_DIGITS)}) as bigint)`
  const isResent = sql<boolean>`case when ${at} > 0 then ${countedAt} > ${now} - ${sql.lit(RESEND_MS)} else false end`
  const next = {
    used: sql<number>`case when ${hasEnded} then 1 when ${isResent} then engine_attempt.used else engine_attempt.used + 1 end`,
    recent: sql<string>`case when ${hasEnded} then ${entry} when ${isResent} then engine_attempt.recent else ${entry} || engine_attempt.recent end`,
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
        .returning('used')
        .executeTakeFirst()
    : await transaction
        .insertInto('engine_attempt')
        .values({ holder, rule_name, used: 1, allowed: attempts, recent: entry, expires_at: until })
        .onConflict((conflict) => conflict.columns(['holder', 'rule_name']).doUpdateSet(next).where(mayBeCounted))
        .returning('used')
        .executeTakeFirst()
  if (counted !== undefined) return { kind: 'reserved', left: Math.max(0, attempts - counted.used) }
  const locked = await transaction
    .selectFrom('engine_attempt')
    .select(sql<number | string>`expires_at - ${now}`.as('remaining'))
    .where('holder', '=', holder)
    .where('rule_name', '=', rule_name)
    .executeTakeFirst()
  if (locked === undefined) return { kind: 'full' }
  return { kind: 'locked out', retryAfterMs: Math.max(1, Number(locked.remaining)) }
}

/** After a right code: forgets the wrong ones before it. */
export async function resetAttempts(transaction: Transaction<StateTables>, key: AttemptKey): Promise<void> {
  await transaction
    .deleteFrom('engine_attempt')
    .where('holder', '=', key.holder)
    .where('rule_name', '=', key.rule_name)
    .execute()
}

/**
 * After a right code of a rule that has others: takes back this attempt alone, once for each time that it was counted. The count
 * then expires as if it had not been made.
 */
export async function returnAttempt(
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
  const isCounted = sql<boolean>`${at} > 0`
  await transaction
    .deleteFrom('engine_attempt')
    .where('holder', '=', key.holder)
    .where('rule_name', '=', key.rule_name)
    .where('used', '=', 1)
    .where(isCounted)
    .execute()
  await transaction
    .updateTable('engine_attempt')
    .set({
      used: sql<number>`used - 1`,
      recent: others,
      expires_at: sql<number>`${latest} + cast(${lockoutMs} as bigint)`,
    })
    .where('holder', '=', key.holder)
    .where('rule_name', '=', key.rule_name)
    .where(isCounted)
    .execute()
}

/** Where the latest entry of this fingerprint begins in `recent`; 0 without one. */
function placeOf(dialect: DatabaseLocation['dialect'], fingerprint: string): RawBuilder<number> {
  const position = sql.raw<number>(dialect === 'sqlite' ? 'instr' : 'strpos')
  return sql<number>`${position}(engine_attempt.recent, cast(${` ${fingerprint}:`} as text))`
}
