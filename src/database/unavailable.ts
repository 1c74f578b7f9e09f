// The error of a component that stores something: callers only learn that a write or a read failed; the cause is for the log.
import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import type { DatabaseLocation } from '../settings/sections/database.ts'
import { describeFault, isUnreachable } from './fault.ts'

export abstract class DatabaseUnavailable extends Error {
  /** The database is unreachable, perhaps only for now. */
  readonly isUnreachable: boolean

  /**
   * @param subject `the ledger`
   * @param action completes the sentence "the ledger could not …"
   * @param hint a remedy, appended to the message
   */
  constructor(subject: string, action: string, cause: unknown, hint = '') {
    const fault = describeFault(cause)
    // A log prints the cause: not a driver's.
    super(`${subject} could not ${action}: ${fault}${hint}`, isMessageOf(cause, fault) ? { cause } : undefined)
    this.isUnreachable = isUnreachable(cause)
  }
}

function isMessageOf(cause: unknown, text: string): boolean {
  return cause instanceof Error && cause.message === text
}

/**
 * A relative SQLite path is often an absolute one with a slash too few: how to write the URL of a missing file if that was
 * meant; empty if the path is absolute, or the file exists.
 */
export function absolutePathHint(location: DatabaseLocation): string {
  if (location.dialect !== 'sqlite' || !location.isRelative || existsSync(location.path)) return ''
  const written = relative(process.cwd(), location.path)
  if (written.startsWith('..')) return ''
  return `; the URL's path is relative to ${process.cwd()}: an absolute path takes four slashes, sqlite:////${written}`
}
