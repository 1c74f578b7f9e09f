// Sessions: decisions read the memory, and query the database about those that it does not have; an administrator lists and
// ends them.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Identity } from '../../request/decision-request.ts'
import { eventScope, type StateFilter, selectionOf } from '../filter.ts'
import { sessionHolder, userOf } from '../holder.ts'
import { nextRevision } from '../revision.ts'
import type { StateTables } from '../schema.ts'
import type { StateDatabase } from '../state-database.ts'
import { createSessionLookups } from './session-lookups.ts'
import type { SessionMemory, StoredSession } from './session-memory.ts'
import type { SessionSync } from './session-sync.ts'

export interface Sessions {
  /** From memory, at most 1 s behind the database. */
  hasSession(rule: string, identity: Identity): boolean
  /** Queries the database; false after 200 ms or without a database. Never rejects. */
  findSession(rule: string, identity: Identity): Promise<boolean>
  /** The newest first. */
  sessions(filter: StateFilter, limit: number): Promise<readonly SessionRecord[]>
  /** @returns their number; other engines follow within a second */
  endSessions(filter: StateFilter): Promise<number>
}

/** Times are milliseconds since the epoch, by the database's clock. */
interface SessionRecord {
  readonly rule: string
  readonly user: string | undefined
  readonly client: string
  /** The verdict's id. */
  readonly reference: string
  readonly startedAt: number
  readonly expiresAt: number
}

const MAXIMUM_PRELOADED = 100_000
const CLIENTS = { table: 'engine_session', column: 'client_address', prefix: '' } as const
/** Each further one needs a change that another engine or an administrator has made during the one before. */
const MAXIMUM_LOOKUPS = 5

export function createSessions(
  {
    db,
    dialect,
    transactions,
    clock,
    events,
  }: Pick<StateDatabase, 'db' | 'dialect' | 'transactions' | 'clock' | 'events'>,
  memory: SessionMemory,
  sync: SessionSync,
): Sessions {
  // Without a transaction: it is one statement, and the caller has its own time limit.
  const readSessionsOf = (holders: readonly string[]) =>
    db
      .selectFrom('engine_session')
      .select(['holder', 'rule_name', 'expires_at'])
      .where('holder', 'in', holders)
      .where('expires_at', '>', clock.now())
      .execute()
  const lookups = createSessionLookups(async (holders) => {
    // If the memory has followed in the meantime, some may have been ended: they are read again.
    for (let attempt = 0; attempt < MAXIMUM_LOOKUPS; attempt++) {
      const { revision } = sync
      const found = await readSessionsOf(holders)
      if (sync.revision !== revision) continue
      memory.apply(found)
      return
    }
  }, memory.has)

  return {
    hasSession: (rule, identity) => memory.has(sessionHolder(identity), rule),
    findSession: (rule, identity) => lookups.find(sessionHolder(identity), rule),
    async sessions(filter, limit) {
      const rows = await transactions.read('list sessions', async (transaction) =>
        transaction
          .selectFrom('engine_session')
          .selectAll()
          .where('expires_at', '>', clock.now())
          .where(await selectionOf(transaction, dialect, filter, CLIENTS))
          .orderBy('started_at', 'desc')
          .limit(limit)
          .execute(),
      )
      return rows.map((row) => ({
        rule: row.rule_name,
        user: userOf(row.holder),
        client: row.client_address,
        reference: row.reference,
        startedAt: Number(row.started_at),
        expiresAt: Number(row.expires_at),
      }))
    },
    async endSessions(filter) {
      const ended = await transactions.run('end sessions', async (transaction) => {
        const rows = await transaction
          .updateTable('engine_session')
          .set({ expires_at: sql<number>`-(${clock.now()})`, revision: await nextRevision(transaction) })
          .where('expires_at', '>', clock.now())
          .where(await selectionOf(transaction, dialect, filter, CLIENTS))
          .returning(['holder', 'rule_name', 'expires_at'])
          .execute()
        const event = { event: 'sessions.ended', ...eventScope(filter), ended: rows.length }
        if (rows.length > 0) await events.administered(transaction, [event])
        return rows
      })
      memory.apply(ended)
      await sync.syncSoon()
      return ended.length
    },
  }
}

/**
 * If the memory has no room for all of them, those that expire last.
 * @param known the revision since which sessions were ended; undefined for all that are live
 */
export async function readSessions(
  transaction: Transaction<StateTables>,
  now: RawBuilder<number>,
  known: number | undefined,
): Promise<readonly StoredSession[]> {
  const sessions = transaction.selectFrom('engine_session').select(['holder', 'rule_name', 'expires_at'])
  if (known !== undefined) return await sessions.where('revision', '>', sql<number>`cast(${known} as bigint)`).execute()
  return await sessions.where('expires_at', '>', now).orderBy('expires_at', 'desc').limit(MAXIMUM_PRELOADED).execute()
}
