// What the state has about a person: to be shown, and deleted in batches. Of permissions, only those that are for this person.
import { type RawBuilder, type Selectable, sql, type Transaction } from 'kysely'
import { isOneOf } from '../../database/one-of.ts'
import type { RowKey } from '../people/pages.ts'
import type { JournalNames, Person } from '../people/person.ts'
import type { Events } from './events.ts'
import { lockoutHolder, userHolder } from './holder.ts'
import { KEPT_MS } from './pruning.ts'
import { rereadAll } from './revision.ts'
import type { StateTables } from './schema.ts'
import type { SessionSync } from './sessions/session-sync.ts'
import type { StateDatabase } from './state-database.ts'

export type StatePart = keyof typeof PARTS
export type StateRow<Part extends StatePart> = Selectable<StateTables[(typeof PARTS)[Part]['table']]>

/** Whose rows: the state's have the person herself, events may have pseudonyms. */
export interface PersonRows {
  readonly person: Person
  /** In events. */
  readonly names: JournalNames
  /** Whether a reported user, with domain and realm, is the person. */
  readonly isReported: (user: string) => boolean
}

export interface Kept {
  readonly rows: number
  /** Milliseconds since the epoch, by the database's clock. */
  readonly until: number
}

export interface PersonDeleted {
  readonly deleted: Readonly<Record<StatePart, number>>
  /** Sessions that were in force. */
  readonly ended: number
  readonly kept: { readonly attempts: Kept | undefined; readonly redemptions: Kept | undefined }
}

export interface StatePeople {
  countPerson(rows: PersonRows): Promise<Readonly<Record<StatePart, number>>>
  /** In the order of `PARTS[part].key`. */
  personRows<Part extends StatePart>(
    part: Part,
    rows: PersonRows,
    after: RowKey | undefined,
    limit: number,
  ): Promise<readonly StateRow<Part>[]>
  /**
   * Ends her sessions and permissions on every engine. Each batch is one transaction.
   * @param attempts whether counts of wrong codes that are in force are deleted, too
   */
  deletePerson(rows: PersonRows, options: { readonly attempts: boolean }): Promise<PersonDeleted>
  /** An event without the person. */
  recordDeletion(by: string, ended: number): Promise<void>
}

/** In the order in which they are deleted: those that find others come after them. */
const PARTS = {
  redemptions: { table: 'engine_redemption', key: ['reference'] },
  sessions: { table: 'engine_session', key: ['holder', 'rule_name'] },
  attempts: { table: 'engine_attempt', key: ['holder', 'rule_name'] },
  permissions: { table: 'engine_scoped_permission', key: ['id'] },
  presences: { table: 'engine_presence', key: ['client_address'] },
  events: { table: 'engine_event', key: ['id'] },
} as const satisfies Readonly<Record<string, { table: keyof StateTables; key: readonly string[] }>>

export const STATE_PARTS = Object.keys(PARTS) as readonly StatePart[]
export const keyColumns = (part: StatePart): readonly string[] => PARTS[part].key

/** What every engine has in memory, too. */
const IN_MEMORY: ReadonlySet<StatePart> = new Set(['sessions', 'permissions', 'presences'])
const BATCH = 500

export function createStatePeople(
  { transactions, clock, dialect }: Pick<StateDatabase, 'transactions' | 'clock' | 'dialect'>,
  syncSoon: SessionSync['syncSoon'],
  events: Pick<Events, 'administered'>,
): StatePeople {
  /** @param condition of the rows that may be deleted */
  async function deletePart(part: StatePart, rows: PersonRows, condition: RawBuilder<boolean>) {
    const counted = { deleted: 0, ended: 0 }
    const table = sql.table(PARTS[part].table)
    const key = keyOf(part)
    for (let size = BATCH; size === BATCH; ) {
      const batch = await transactions.run('delete a person', async (transaction) => {
        const selection = await selectionOf(transaction, dialect, part, rows)
        const { rows: deleted } = await sql<{ isLive: number | boolean }>`
          delete from ${table} where (${key}) in
            (select ${key} from ${table} where ${selection} and ${condition} limit ${sql.lit(BATCH)})
          returning ${part === 'sessions' ? sql`expires_at > ${clock.now()}` : sql`0 = 1`} as "isLive"
        `.execute(transaction)
        if (deleted.length > 0 && IN_MEMORY.has(part)) await rereadAll(transaction)
        return deleted
      })
      size = batch.length
      counted.deleted += size
      counted.ended += batch.filter(({ isLive }) => Boolean(isLive)).length
    }
    return counted
  }

  async function keptOf(part: 'attempts' | 'redemptions', rows: PersonRows, plus: number): Promise<Kept | undefined> {
    return await transactions.read('count a person', async (transaction) => {
      const selection = await selectionOf(transaction, dialect, part, rows)
      const found = await sql<{ rows: number | string; until: number | string | null }>`
        select count(*) as "rows", max(expires_at) as until from ${sql.table(PARTS[part].table)} where ${selection}
      `.execute(transaction)
      const [{ rows: count, until } = { rows: 0, until: null }] = found.rows
      return until === null ? undefined : { rows: Number(count), until: Number(until) + plus }
    })
  }

  return {
    async countPerson(rows) {
      const counts = {} as Record<StatePart, number>
      for (const part of STATE_PARTS) {
        counts[part] = await transactions.read('count a person', async (transaction) => {
          const selection = await selectionOf(transaction, dialect, part, rows)
          const { rows: found } = await sql<{ count: number | string }>`
            select count(*) as count from ${sql.table(PARTS[part].table)} where ${selection}
          `.execute(transaction)
          return Number(found[0]?.count)
        })
      }
      return counts
    },
    async personRows<Part extends StatePart>(part: Part, rows: PersonRows, after: RowKey | undefined, limit: number) {
      return await transactions.read('read about a person', async (transaction) => {
        const selection = await selectionOf(transaction, dialect, part, rows)
        const key = keyOf(part)
        const further = after === undefined ? sql`` : sql`and (${key}) > (${sql.join(after)})`
        const found = await sql<StateRow<Part>>`
          select * from ${sql.table(PARTS[part].table)} where ${selection} ${further} order by ${key}
          limit ${sql.lit(limit)}
        `.execute(transaction)
        return found.rows
      })
    },
    async deletePerson(rows, { attempts }) {
      const deleted = {} as Record<StatePart, number>
      let ended = 0
      const past = sql<boolean>`expires_at <= ${clock.now()}`
      // A verdict is redeemed once: the clock of an engine that redeems it may be slow.
      const longPast = sql<boolean>`expires_at <= ${clock.now()} - ${sql.lit(KEPT_MS)}`
      const any = sql<boolean>`1 = 1`
      const redemptions = await keptOf('redemptions', rows, KEPT_MS)
      for (const part of STATE_PARTS) {
        const condition = part === 'redemptions' ? longPast : part === 'attempts' && !attempts ? past : any
        const counted = await deletePart(part, rows, condition)
        deleted[part] = counted.deleted
        ended += counted.ended
      }
      const kept = redemptions && { ...redemptions, rows: redemptions.rows - deleted.redemptions }
      await syncSoon()
      return {
        deleted,
        ended,
        kept: { attempts: await keptOf('attempts', rows, 0), redemptions: kept?.rows === 0 ? undefined : kept },
      }
    },
    async recordDeletion(by, ended) {
      await transactions.run('record a deletion', (transaction) =>
        events.administered(transaction, [{ event: 'person.deleted', acted_by: by, ended }]),
      )
    },
  }
}

function keyOf(part: StatePart): RawBuilder<unknown> {
  return sql.join(PARTS[part].key.map((column) => sql.ref(column)))
}

/** The condition for her rows. */
async function selectionOf(
  transaction: Transaction<StateTables>,
  dialect: StateDatabase['dialect'],
  part: StatePart,
  { person, names, isReported }: PersonRows,
): Promise<RawBuilder<boolean>> {
  const { user, client } = person
  const events = sql<boolean>`${sql.ref(names.column)} in (${sql.join(names.values)})`
  const sessions =
    client === undefined ? sql<boolean>`holder = ${userHolder(user)}` : sql<boolean>`client_address = ${client.address}`
  switch (part) {
    case 'redemptions':
      return sql<boolean>`reference in (select reference from engine_session where ${sessions} union
        select reference from engine_event where reference is not null and ${events})`
    case 'sessions':
      return sessions
    case 'attempts':
      return sql<boolean>`holder = ${client === undefined ? userHolder(user) : lockoutHolder({ user, client })}`
    case 'permissions':
      return client === undefined ? sql<boolean>`user_name = ${user}` : sql<boolean>`client_network = ${client.address}`
    case 'presences': {
      if (client !== undefined) return sql<boolean>`client_address = ${client.address}`
      const { rows } = await sql<{ name: string }>`
        select distinct user_name as name from engine_presence
      `.execute(transaction)
      return isOneOf(dialect, 'user_name', rows.map(({ name }) => name).filter(isReported))
    }
    case 'events':
      return events
  }
}
