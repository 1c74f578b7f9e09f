// The only error of the ledger: for callers the record failed; the cause is for the log.

import { absolutePathHint, DatabaseUnavailable } from '../database/unavailable.ts'
import type { DatabaseLocation } from '../settings/sections/database.ts'

export class LedgerUnavailable extends DatabaseUnavailable {
  override readonly name = 'LedgerUnavailable'

  /** @param hint a remedy, appended to the message */
  constructor(action: string, cause: unknown, hint = '') {
    super('the ledger', action, cause, hint)
  }
}

/** The error of a ledger that cannot be opened. */
export function openingFailed(location: DatabaseLocation, cause: unknown): LedgerUnavailable {
  return new LedgerUnavailable('be opened', cause, absolutePathHint(location))
}
