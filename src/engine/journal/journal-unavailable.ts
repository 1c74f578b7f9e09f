// The only error of the journal: nothing was read or written; the cause is for the log.
import { DatabaseUnavailable } from '../../database/unavailable.ts'

export class JournalUnavailable extends DatabaseUnavailable {
  override readonly name = 'JournalUnavailable'

  /** @param hint a remedy, appended to the message */
  constructor(action: string, cause: unknown, hint = '') {
    super('the journal', action, cause, hint)
  }
}
