// The error of a component that stores something: callers only learn that a write or a read failed; the cause is for the log.
import { absolutePathHint } from '../config/absolute-path-hint.ts'
import type { DatabaseLocation } from '../config/database.ts'

// Error codes of the system for an unreachable address, and of PostgreSQL (SQLSTATE) while it starts or stops.
const OUT_OF_REACH = new Set<unknown>([
  ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['57P01', '57P03'],
])

export abstract class DatabaseUnavailable extends Error {
  /** The database is unreachable, perhaps only for now. */
  readonly isOutOfReach: boolean

  /**
   * @param subject `the ledger`
   * @param action completes the sentence "the ledger could not …"
   * @param hint a remedy, appended to the message
   */
  constructor(subject: string, action: string, cause: unknown, hint = '') {
    super(`${subject} could not ${action}: ${reason(cause)}${hint}`, { cause })
    this.isOutOfReach = cause instanceof Error && 'code' in cause && OUT_OF_REACH.has(cause.code)
  }
}

/** What to correct if the database cannot be opened; empty if nothing is known. */
export function openingHint(location: DatabaseLocation): string {
  return location.dialect === 'sqlite' ? absolutePathHint(location.path) : ''
}

/** SQLSTATE. */
const DISK_FULL = '53100'

function reason(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  if ('code' in cause && cause.code === DISK_FULL) return `the disk of PostgreSQL's server is full (${cause.message})`
  // A refused connection to a name with several addresses is an AggregateError without a message.
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}
