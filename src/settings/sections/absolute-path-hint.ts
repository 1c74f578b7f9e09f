// A relative SQLite path is often an absolute one with a slash too few.
import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import type { DatabaseLocation } from './database.ts'

/** How to write the URL of a missing SQLite file in case an absolute path was meant; empty if it was, or the file exists. */
export function absolutePathHint(location: DatabaseLocation): string {
  if (location.dialect !== 'sqlite' || !location.isRelative || existsSync(location.path)) return ''
  const written = relative(process.cwd(), location.path)
  if (written.startsWith('..')) return ''
  return `; the URL's path is relative to ${process.cwd()}: an absolute path takes four slashes, sqlite:////${written}`
}
