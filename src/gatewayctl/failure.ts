// Errors of a command: one message for the operator, and an exit code for scripts.
import { CommanderError } from 'commander'
import { LedgerUnavailable } from '../ledger/ledger-unavailable.ts'
import { ConfigProblems } from '../settings/problems.ts'

export const EXIT_FAILED = 1
export const EXIT_MISUSED = 2

/** Part of the help of every command. */
export const EXIT_CODES = `Exit codes: 0 done; 1 failed, or something is wrong; 2 misused or misconfigured;
130 interrupted.`

/** An error that the operator can do something about. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly exitCode: number

  /** @param message undefined if the output already says what is wrong */
  constructor(message?: string, exitCode: number = EXIT_FAILED) {
    super(message)
    this.exitCode = exitCode
  }
}

/** The exit code of an error, and the message that is still to be printed. */
export function exitOf(error: unknown): { readonly exitCode: number; readonly message?: string } {
  // Commander has printed its message already, or the help.
  if (error instanceof CommanderError) return { exitCode: error.exitCode === 0 ? 0 : EXIT_MISUSED }
  if (error instanceof Failure) return { exitCode: error.exitCode, ...(error.message && { message: error.message }) }
  if (error instanceof ConfigProblems) return { exitCode: EXIT_MISUSED, message: error.message }
  if (error instanceof LedgerUnavailable) return { exitCode: EXIT_FAILED, message: error.message }
  return { exitCode: EXIT_FAILED, message: error instanceof Error ? `${error.stack}` : String(error) }
}
