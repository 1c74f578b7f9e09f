// The journal: one row per stopped request, written behind the decision, and how many requests were allowed each hour. What
// visitors and administrators did are events, which are in the state's database because they are committed with what they report.
import type { Transaction } from 'kysely'
import type { DatabaseLocation } from '../../settings/sections/database.ts'
import type { StopRecord } from '../monitoring/stopped-requests.ts'
import type { StateTables } from '../state/schema.ts'
import type { JournalTables } from './schema.ts'

export interface Journal {
  readonly settings: JournalSettings
  /** Of stops and totals. */
  readonly dialect: DatabaseLocation['dialect']
  readonly status: JournalStatus
  /** Queues a row. Never waits and never throws: where the queue is full, the row is lost and counted. */
  add(stopped: StopRecord): void
  /**
   * Reads stops and totals on a second connection, for which no decision waits. A statement may take 30 s.
   * @param purpose completes the sentence "the journal could not …"
   * @throws {JournalUnavailable}
   */
  read<T>(purpose: string, work: (transaction: Transaction<JournalTables>) => Promise<T>): Promise<T>
  /** The same for events. @throws {DatabaseUnavailable} */
  readEvents<T>(purpose: string, work: (transaction: Transaction<StateTables>) => Promise<T>): Promise<T>
  /** Changes stops and totals; rows that are queued are not there yet: see `flush`. @throws {JournalUnavailable} */
  change<T>(purpose: string, work: (transaction: Transaction<JournalTables>) => Promise<T>): Promise<T>
  /** Writes what was queued before the call. @throws {JournalUnavailable} */
  flush(): Promise<void>
  /**
   * Deletes what is too old, and makes pseudonyms; happens every minute as well, unless the clock may be wrong.
   * @throws {DatabaseUnavailable}
   */
  retain(): Promise<void>
  /** Writes what is queued if that is possible within three seconds, and disconnects. */
  close(): Promise<void>
}

export interface JournalStatus {
  /** Whether the last write succeeded. */
  readonly isUp: boolean
  /** Why the last write failed. */
  readonly fault: string | undefined
  /** Rows that are not written yet. */
  readonly queued: number
  /** Rows of this process since its start: those that were written, and those that never will be. */
  readonly written: number
  readonly lost: number
}

/** What is kept, and for how long: `[journal]`. */
export interface JournalSettings {
  /** 0: there is no journal. */
  readonly days: number
  /** After these, clients and users are pseudonyms. */
  readonly personDays: number
  readonly hosts: boolean
}
