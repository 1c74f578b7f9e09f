// What an administrator sees and ends: sessions and lockouts.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import { userOf } from './holder.ts'
import type { StateTables } from './schema.ts'
import type { StoredSession } from './sessions/session-memory.ts'

/** Selects what matches all of its members; an empty filter selects everything. */
export interface StateFilter {
  readonly rule?: string | undefined
  readonly user?: string | undefined
  /** An address, or for lockouts the /64 of an IPv6 address. */
  readonly client?: string | undefined
}

/** Times are milliseconds since the epoch, by the database's clock. */
export interface SessionRecord {
  readonly rule: string
  readonly user: string | undefined
  readonly client: string
  /** The verdict's id. */
  readonly reference: string
  readonly startedAt: number
  readonly expiresAt: number
}

export interface LockoutRecord {
  readonly rule: string
  readonly user: string | undefined
  /** Undefined for a user's. */
  readonly client: string | undefined
  readonly expiresAt: number
}

export async function readSessions(
  transaction: Transaction<StateTables>,
  now: RawBuilder<number>,
  { rule, user, client }: StateFilter,
  most: number,
): Promise<readonly SessionRecord[]> {
  const rows = await transaction
    .selectFrom('engine_session')
    .selectAll()
    .where('expires_at', '>', now)
    .$if(rule !== undefined, (query) => query.where('rule_name', '=', rule as string))
    .$if(user !== undefined, (query) => query.where('holder', '=', `user ${user}`))
    .$if(client !== undefined, (query) => query.where('client_address', '=', client as string))
    .orderBy('started_at', 'desc')
    .limit(most)
    .execute()
  return rows.map((row) => ({
    rule: row.rule_name,
    user: userOf(row.holder),
    client: row.client_address,
    reference: row.reference,
    startedAt: Number(row.started_at),
    expiresAt: Number(row.expires_at),
  }))
}

/** @returns the sessions that have ended; other engines follow within a second */
export async function endSessions(
  transaction: Transaction<StateTables>,
  now: RawBuilder<number>,
  { rule, user, client }: StateFilter,
): Promise<readonly StoredSession[]> {
  const revision = await nextRevision(transaction)
  return await transaction
    .updateTable('engine_session')
    .set({ expires_at: sql<number>`-(${now})`, revision })
    .where('expires_at', '>', now)
    .$if(rule !== undefined, (query) => query.where('rule_name', '=', rule as string))
    .$if(user !== undefined, (query) => query.where('holder', '=', `user ${user}`))
    .$if(client !== undefined, (query) => query.where('client_address', '=', client as string))
    .returning(['holder', 'rule_name', 'expires_at'])
    .execute()
}

/** The row stays locked until the commit, so that revisions become visible in their order. */
export async function nextRevision(transaction: Transaction<StateTables>): Promise<number> {
  const { revision } = await transaction
    .updateTable('engine_revision')
    .set({ revision: sql<number>`revision + 1` })
    .returning('revision')
    .executeTakeFirstOrThrow()
  return Number(revision)
}

export async function readLockouts(
  transaction: Transaction<StateTables>,
  now: RawBuilder<number>,
  { rule, user, client }: StateFilter,
  most: number,
): Promise<readonly LockoutRecord[]> {
  const rows = await transaction
    .selectFrom('engine_attempt')
    .select(['holder', 'rule_name', 'expires_at'])
    .where('expires_at', '>', now)
    .whereRef('used', '>=', 'allowed')
    .$if(rule !== undefined, (query) => query.where('rule_name', '=', rule as string))
    .$if(user !== undefined, (query) => query.where('holder', '=', `user ${user}`))
    .$if(client !== undefined, (query) => query.where('holder', '=', `client ${client}`))
    .orderBy('expires_at', 'desc')
    .limit(most)
    .execute()
  return rows.map(({ holder, rule_name, expires_at }) => {
    const name = userOf(holder)
    const network = name === undefined ? holder.slice('client '.length) : undefined
    return { rule: rule_name, user: name, client: network, expiresAt: Number(expires_at) }
  })
}

/** Forgets the attempts, also those that have not led to a lockout. */
export async function endLockouts(
  transaction: Transaction<StateTables>,
  { rule, user, client }: StateFilter,
): Promise<number> {
  const { numDeletedRows } = await transaction
    .deleteFrom('engine_attempt')
    .$if(rule !== undefined, (query) => query.where('rule_name', '=', rule as string))
    .$if(user !== undefined, (query) => query.where('holder', '=', `user ${user}`))
    .$if(client !== undefined, (query) => query.where('holder', '=', `client ${client}`))
    .executeTakeFirst()
  return Number(numDeletedRows)
}
