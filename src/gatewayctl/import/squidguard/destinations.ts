// Destinations as lists, which rules of the policy name.
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Failure } from '../../failure.ts'
import type { Configuration, Named } from './configuration.ts'
import { attempt, type ReadEntries, type ReadListFile, readDomains, readUrls } from './list-files.ts'
import { uniqueName } from './names.ts'
import type { Notes } from './notes.ts'

/** It has a path, or URLs, or both: relative to the policy's folder, or absolute. */
export interface List {
  readonly name: string
  readonly path?: string | undefined
  readonly urls?: string | undefined
}

export interface ImportFolders {
  /** Of the lists that the configuration names. */
  readonly dbhome: string
  /** To which lists are written as the engine reads them; undefined where they stay where they are. */
  readonly output: string | undefined
}

/** Reads the files of the destinations that rules name. @returns the list of each; those without entries have none */
export function readDestinations(
  { acls, destinations }: Configuration,
  folders: ImportFolders,
  notes: Notes,
): ReadonlyMap<string, List> {
  const used = new Set(acls.flatMap(({ pass }) => pass.map(({ name }) => name)))
  const lists = new Map<string, List>()
  const files = new Set<string>()
  const names = new Set<string>()
  for (const destination of destinations) {
    const { name, line, domains, urls } = destination
    if (!used.has(name)) {
      notes.add(line, `${name}: no acl names it`)
      continue
    }
    if (domains === undefined && urls === undefined) notes.add(line, `${name}: has no names to import`)
    const pathOf = (given: Named | undefined, file: string, kind: keyof typeof KINDS) =>
      given && readList(given, folders, uniqueName(file, files), kind, notes)
    const file = name.replace(/[^A-Za-z0-9_-]/g, '-')
    const paths = { path: pathOf(domains, file, 'domainlist'), urls: pathOf(urls, `${file}-urls`, 'urllist') }
    if (paths.path === undefined && paths.urls === undefined) continue
    lists.set(name, { name: uniqueName(name, names), ...paths })
  }
  return lists
}

/** How each kind of file is read, and what is said of lines that are not. */
const KINDS = {
  domainlist: {
    read: readDomains,
    unread: (lines: string) => `squidGuard finds no host by ${lines}, such as .casino.example`,
  },
  urllist: { read: readUrls, unread: (lines: string) => `${lines} not imported: a query, or no host` },
} satisfies Record<string, { readonly read: ReadListFile; unread(lines: string): string }>

/** The path of a list that the engine can read; undefined where it cannot. */
function readList(
  list: Named,
  { dbhome, output }: ImportFolders,
  file: string,
  kind: keyof typeof KINDS,
  notes: Notes,
): string | undefined {
  const { name: given, line } = list
  const note = (text: string) => notes.add(line, `${kind} ${given}: ${text}`)
  const { read, unread } = KINDS[kind]
  const path = join('lists', `${file}.txt`)
  const found = attempt(list, notes, dbhome, (source) =>
    output === undefined ? read(source, () => {}) : copy(source, join(output, path), read),
  )
  if (found === undefined) return undefined
  if (found.unread > 0) {
    note(`${unread(lines(found.unread))}${output === undefined ? '; the engine may read some of them' : ''}`)
  }
  if (found.entries === 0) {
    note('has no entries')
    return undefined
  }
  if (output !== undefined) return path
  if (found.rewritten > 0) {
    note(`the engine reads ${lines(found.rewritten)} otherwise; --output writes them in its format`)
  }
  return resolve(dbhome, given)
}

const BUFFERED = 1024 * 1024

/** @throws {Failure} if it cannot be written; the system's error if the list cannot be read */
function copy(from: string, to: string, readFile: ReadListFile): ReadEntries {
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
    const read = readFile(from, (name) => {
      text += `${name}\n`
      if (text.length >= BUFFERED) flush()
    })
    flush()
    isComplete = read.entries > 0
    return read
  } finally {
    closeSync(file)
    if (!isComplete) rmSync(to)
  }
}

function lines(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`
}
