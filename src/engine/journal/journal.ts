// The journal: one row per stopped request, written behind the decision, and how many requests were allowed each hour.
import type { StoppedRequest } from '../monitoring/stopped-requests.ts'

export interface Journal {
  /** Queues a row. Never waits and never throws: where the queue is full, the row is lost and counted. */
  add(stopped: StoppedRequest): void
  readonly status: JournalStatus
  /** Writes what is queued, waits for transactions in progress, and disconnects. */
  close(): Promise<void>
}

export interface JournalStatus {
  /** Whether the last write succeeded. */
  readonly isUp: boolean
  /** Why the last write failed. */
  readonly fault: string | undefined
  /** Rows that are not written yet. */
  readonly queued: number
  /** Rows of this process that were never written, since its start. */
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
