// The one error of the ledger: whoever records needs to know only that it was not recorded.

/** The database did not take or give what it was asked for; `cause` says why, for the log only. */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable'

  constructor(action: string, cause: unknown) {
    super(`the ledger could not ${action}: ${reason(cause)}`, { cause })
  }
}

function reason(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  // A refused connection to a name with several addresses is an AggregateError without a message.
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}
