// Destinations as what rules of the policy name: lists, and patterns of `match`.
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Failure } from '../../failure.ts'
import type { Configuration, Named } from './configuration.ts'
import { attempt, MAXIMUM_URLS, type ReadDomains, readDomains, readUrls } from './list-files.ts'
import { uniqueName } from './names.ts'
import type { Notes } from './notes.ts'

/** A rule has one of them; a destination with both needs two rules. */
export interface Target {
  readonly list: string | undefined
  readonly match: readonly string[]
}

export interface List {
  readonly name: string
  /** Relative to the policy's folder, or absolute. */
  readonly path: string
}

export interface ImportFolders {
  /** Of the lists that the configuration names. */
  readonly dbhome: string
  /** To which lists are written as the engine reads them; undefined where they stay where they are. */
  readonly output: string | undefined
}

/** Reads the files of the destinations that rules name. Those without any names have no target. */
export function readDestinations(
  { acls, destinations }: Configuration,
  folders: ImportFolders,
  notes: Notes,
): { readonly targets: ReadonlyMap<string, Target>; readonly lists: readonly List[] } {
  const used = new Set(acls.flatMap(({ pass }) => pass.map(({ name }) => name)))
  const targets = new Map<string, Target>()
  const lists: List[] = []
  const files = new Set<string>()
  const names = new Set<string>()
  for (const destination of destinations) {
    const { name, line, domains, urls } = destination
    if (!used.has(name)) {
      notes.add(line, `${name}: no acl names it`)
      continue
    }
    if (domains === undefined && urls === undefined) notes.add(line, `${name}: has no names to import`)
    const path = domains && readList(domains, folders, uniqueName(fileName(name), files), notes)
    const match = urls === undefined ? [] : readMatch(urls, folders, notes)
    const list = path && uniqueName(name, names)
    if (path !== undefined && list !== undefined) lists.push({ name: list, path })
    if (list !== undefined || match.length > 0) targets.set(name, { list, match })
  }
  return { targets, lists }
}

function fileName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '-')
}

/** The path of a list that the engine can read; undefined where it cannot. */
function readList(domains: Named, { dbhome, output }: ImportFolders, file: string, notes: Notes): string | undefined {
  const { name: given, line } = domains
  const path = join('lists', `${file}.txt`)
  const read = attempt(domains, notes, dbhome, (source) =>
    output === undefined ? readDomains(source, () => {}) : copy(source, join(output, path)),
  )
  if (read === undefined) return undefined
  const { names, unmatched, rewritten } = read
  if (names === 0) {
    notes.add(line, `domainlist ${given}: has no names`)
    return undefined
  }
  if (unmatched > 0) {
    const end = output === undefined ? '; the engine may read some of them' : ''
    notes.add(
      line,
      `domainlist ${given}: squidGuard finds no host by ${lines(unmatched)}, such as .casino.example${end}`,
    )
  }
  if (output !== undefined) return path
  if (rewritten > 0) {
    notes.add(
      line,
      `domainlist ${given}: the engine reads ${lines(rewritten)} otherwise; --output writes them in its format`,
    )
  }
  return resolve(dbhome, given)
}

const BUFFERED = 1024 * 1024

/** @throws {Failure} if it cannot be written; the system's error if the list cannot be read */
function copy(from: string, to: string): ReadDomains {
  mkdirSync(join(to, '..'), { recursive: true, mode: 0o750 })
  const file = openSync(to, 'wx', 0o640)
  let text = ''
  let isComplete = false
  const flush = () => {
    try {
      writeSync(file, text)
    } catch (error) {
      throw new Failure(`${to} cannot be written: ${(error as Error).message}`)
    }
    text = ''
  }
  try {
    const read = readDomains(from, (name) => {
      text += `${name}\n`
      if (text.length >= BUFFERED) flush()
    })
    flush()
    isComplete = read.names > 0
    return read
  } finally {
    closeSync(file)
    if (!isComplete) rmSync(to)
  }
}

/**
 * The policy's lists have names only, so that the addresses of pages are patterns of `match`: as long as they are few.
 */
function readMatch(urls: Named, { dbhome }: ImportFolders, notes: Notes): readonly string[] {
  const { name: given, line } = urls
  const read = attempt(urls, notes, dbhome, readUrls)
  if (read === undefined) return []
  if (read.patterns === undefined) {
    notes.add(line, `urllist ${given}: has more than ${MAXIMUM_URLS} addresses; not imported`)
    return []
  }
  if (read.unread > 0) notes.add(line, `urllist ${given}: ${lines(read.unread)} not imported: a query, or no host`)
  return read.patterns
}

function lines(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`
}
