// The only error of the ledger: for callers the record failed; the cause is for the log.

import { absolutePathHint } from '../config/absolute-path-hint.ts'
import type { Config } from '../config/config.ts'

// Error codes of the system for an unreachable address, and of PostgreSQL (SQLSTATE) while it starts or stops.
const OUT_OF_REACH = new Set<unknown>([
  ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['57P01', '57P03'],
])

export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable'
  /** The database is unreachable, perhaps only for now. */
  readonly isOutOfReach: boolean

  /** @param hint a remedy, appended to the message */
  constructor(action: string, cause: unknown, hint = '') {
    super(`the ledger could not ${action}: ${reason(cause)}${hint}`, { cause })
    this.isOutOfReach = cause instanceof Error && 'code' in cause && OUT_OF_REACH.has(cause.code)
  }
}

/** The error of a ledger that cannot be opened. */
export function openingFailed(location: Config['database'], cause: unknown): LedgerUnavailable {
  return new LedgerUnavailable('be opened', cause, location.dialect === 'sqlite' ? absolutePathHint(location.path) : '')
}

function reason(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  // A refused connection to a name with several addresses is an AggregateError without a message.
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}
