// Timeouts for the database.

/** Milliseconds for a statement, a lock, or a place in the queue. Read at every transaction: migrations get longer. */
export interface TimeLimit {
  milliseconds: number
}

/** A transaction is aborted this many milliseconds after its limit, even if the database does not respond. */
export const CUT_OFF = 500
