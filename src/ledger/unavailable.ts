// The one error of the ledger: whoever records needs to know only that it was not recorded.

// What the system says of an address where nobody answers, and PostgreSQL (SQLSTATE) while it starts or stops.
const OUT_OF_REACH = new Set<unknown>([
  ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['57P01', '57P03'],
])

/** The database did not take or give what it was asked for; `cause` says why, for the log only. */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable'
  /** Nobody answers there, or not yet. */
  readonly isOutOfReach: boolean

  constructor(action: string, cause: unknown) {
    super(`the ledger could not ${action}: ${reason(cause)}`, { cause })
    this.isOutOfReach = cause instanceof Error && 'code' in cause && OUT_OF_REACH.has(cause.code)
  }
}

function reason(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  // A refused connection to a name with several addresses is an AggregateError without a message.
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}
