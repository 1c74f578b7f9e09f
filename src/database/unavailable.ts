// The error of a component that stores something: callers only learn that a write or a read failed; the cause is for the log.
import { describeFault, isOutOfReach } from './fault.ts'

export abstract class DatabaseUnavailable extends Error {
  /** The database is unreachable, perhaps only for now. */
  readonly isOutOfReach: boolean

  /**
   * @param subject `the ledger`
   * @param action completes the sentence "the ledger could not …"
   * @param hint a remedy, appended to the message
   */
  constructor(subject: string, action: string, cause: unknown, hint = '') {
    const fault = describeFault(cause)
    // A log prints the cause: not a driver's.
    super(`${subject} could not ${action}: ${fault}${hint}`, isMessageOf(cause, fault) ? { cause } : undefined)
    this.isOutOfReach = isOutOfReach(cause)
  }
}

function isMessageOf(cause: unknown, text: string): boolean {
  return cause instanceof Error && cause.message === text
}
