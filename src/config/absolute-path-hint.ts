// A relative SQLite path is often an absolute one with a slash too few.
import { existsSync } from 'node:fs'
import { isAbsolute, relative } from 'node:path'

/** How to write the URL of a missing SQLite file in case an absolute path was meant; empty if the file exists. */
export function absolutePathHint(path: string): string {
  if (path === ':memory:' || existsSync(path)) return ''
  const below = relative(process.cwd(), path)
  if (isAbsolute(below) || below.startsWith('..') || `/${below}` === path) return ''
  return `; the URL's path is relative to ${process.cwd()}: an absolute path takes four slashes, sqlite:////${below}`
}
