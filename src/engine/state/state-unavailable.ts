// The only error of the state: nothing was read or written; the cause is for the log.
import { DatabaseUnavailable } from '../../database/unavailable.ts'

export class StateUnavailable extends DatabaseUnavailable {
  override readonly name = 'StateUnavailable'

  /** @param hint a remedy, appended to the message */
  constructor(action: string, cause: unknown, hint = '') {
    super("the engine's state", action, cause, hint)
  }
}
