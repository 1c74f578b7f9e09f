// Bounds the tables that visitors could fill. Counting their rows takes too long for every insert: they are counted at the
// start and every minute, and this engine's own inserts are added in between.
import { sql } from 'kysely'
import type { Transactions } from '../../database/transactions.ts'
import type { StateTables } from './schema.ts'

/** Rows, by table. */
export interface Capacity {
  /** Holders whose attempts are counted. */
  readonly attempts: number
  readonly urls: number
  /** Addresses whose user was reported. */
  readonly presences: number
  /** Rows for the journal. */
  readonly events: number
}

export interface RowLimits {
  readonly capacity: Capacity
  /** How many rows the table has room for. */
  room(table: keyof Capacity): number
  /** To be called after an insert. */
  added(table: keyof Capacity, rows: number): void
  /** @throws {StateUnavailable} */
  count(): Promise<void>
}

export function createRowLimits(transactions: Transactions<StateTables>, capacity: Capacity): RowLimits {
  const rows = { attempts: 0, urls: 0, presences: 0, events: 0 }
  return {
    capacity,
    room: (table) => Math.max(0, capacity[table] - rows[table]),
    added(table, more) {
      rows[table] += more
    },
    async count() {
      const counted = await transactions.read('count rows', (transaction) =>
        sql<Record<keyof Capacity, number | string>>`
          select (select count(*) from engine_attempt) as attempts, (select count(*) from engine_url) as urls,
            (select count(*) from engine_presence) as presences, (select count(*) from engine_event) as events
        `.execute(transaction),
      )
      rows.attempts = Number(counted.rows[0]?.attempts)
      rows.urls = Number(counted.rows[0]?.urls)
      rows.presences = Number(counted.rows[0]?.presences)
      rows.events = Number(counted.rows[0]?.events)
    },
  }
}
