// How long a database may take before the ledger gives it up.

/**
 * Milliseconds for one statement, one lock, or a transaction's turn. Read at every transaction: migrating is given
 * longer.
 */
export interface TimeLimit {
  milliseconds: number
}

/** A transaction that is not over this many milliseconds after its limit is cut off, whatever the database does. */
export const CUT_OFF = 500
