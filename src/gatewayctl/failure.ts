// How a verb ends when it does not end well: one line for the operator, and an exit code for scripts.
import { CommanderError } from 'commander'
import { ConfigProblems } from '../config/problems.ts'
import { LedgerUnavailable } from '../ledger/unavailable.ts'

export const EXIT_FAILED = 1
export const EXIT_MISUSED = 2

/** As every verb's help says them. */
export const EXIT_CODES = `Exit codes: 0 done; 1 failed, or something is wrong; 2 misused or misconfigured;
130 interrupted.`

/** An end that the operator can do something about; the message says what. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT_FAILED) {
    super(message)
    this.exitCode = exitCode
  }
}

/** The exit code of what a verb threw, and what is still to be said about it. */
export function ending(error: unknown): { readonly exitCode: number; readonly message?: string } {
  // It has been said already, or it was help that was asked for.
  if (error instanceof CommanderError) return { exitCode: error.exitCode === 0 ? 0 : EXIT_MISUSED }
  if (error instanceof Failure) return { exitCode: error.exitCode, message: error.message }
  if (error instanceof ConfigProblems) return { exitCode: EXIT_MISUSED, message: error.message }
  if (error instanceof LedgerUnavailable) return { exitCode: EXIT_FAILED, message: error.message }
  return { exitCode: EXIT_FAILED, message: error instanceof Error ? `${error.stack}` : String(error) }
}
