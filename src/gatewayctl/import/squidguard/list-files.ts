// Lists of squidGuard as files, read line by line: a list may have millions of names.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import { resolve } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { parsePathPrefix } from '../../../network/url-path.ts'
import { Failure } from '../../failure.ts'
import type { Named } from './configuration.ts'
import type { Notes } from './notes.ts'

const CHUNK_BYTES = 1024 * 1024
const MAXIMUM_LINE = 1024 * 1024

/** @throws {Error} the system's, or with what is wrong with the file */
function* linesOf(path: string): Generator<string> {
  // Opening a named pipe would wait for a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!fstatSync(file).isFile()) throw new Error('it is not a regular file')
    const decoder = new StringDecoder('utf8')
    const chunk = Buffer.alloc(CHUNK_BYTES)
    let rest = ''
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
      const lines = `${rest}${decoder.write(chunk.subarray(0, read))}`.split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > MAXIMUM_LINE) throw new Error('it has a line of more than 1 MiB')
      yield* lines
    }
    yield rest
  } finally {
    closeSync(file)
  }
}

/** The first words of lines, without comments and the address to which squidGuard redirects. */
function* keysOf(path: string): Generator<{ readonly key: string; readonly line: string }> {
  for (const line of linesOf(path)) {
    if (line.startsWith('#')) continue
    const [key = ''] = line.replace(/^[+-]/, '').trim().split(/\s+/, 1)
    if (key !== '') yield { key: key.toLowerCase(), line }
  }
}

export interface ReadEntries {
  readonly entries: number
  /** Lines with anything else, such as a name that squidGuard compares with no host: `.casino.example`. */
  readonly unread: number
  /** Lines that the engine reads only as `entry` writes them. */
  readonly rewritten: number
}

/** @param entry called for each line that can be imported, as the engine reads it */
export type ReadListFile = (path: string, entry: (text: string) => void) => ReadEntries

export const readDomains: ReadListFile = (path, entry) => readEntries(path, entryOf, entry)

export const readUrls: ReadListFile = (path, entry) => readEntries(path, urlOf, entry)

function readEntries(
  path: string,
  parse: (key: string) => string | undefined,
  entry: (text: string) => void,
): ReadEntries {
  let [entries, unread, rewritten] = [0, 0, 0]
  for (const { key, line } of keysOf(path)) {
    const text = parse(key)
    if (text === undefined) {
      unread++
      continue
    }
    entries++
    if (line.trim().toLowerCase().replace(PORT_OR_SLASH, '') !== text) rewritten++
    entry(text)
  }
  return { entries, unread, rewritten }
}

/** What the engine removes from a URL, too. */
const PORT_OR_SLASH = /(?<=^[^/:@]+):[0-9]+(?=\/|$)|\/$/g

const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/

function entryOf(key: string): string | undefined {
  if (!NAME.test(key) || (/(^|\.)[0-9]+$/.test(key) && !isIPv4(key))) return undefined
  return key.includes('.') ? key : `.${key}`
}

/** The engine does not compare longer paths. */
const MAXIMUM_PATH_BYTES = 2048

function urlOf(key: string): string | undefined {
  const [, host = '', rest = ''] = /^(?:[^/@]*@)?([^/:@?#]+)(?::[0-9]+)?(\/[^?#]*)?$/.exec(key) ?? []
  const path = rest.replace(/\/$/, '')
  const isPath = path === '' || (Buffer.byteLength(path) <= MAXIMUM_PATH_BYTES && parsePathPrefix(path) !== undefined)
  return isPath && entryOf(host)?.startsWith('.') === false ? `${host}${path}` : undefined
}

/** Users, one or more a line, or the first field of lines such as those of /etc/passwd. */
export function readUsers(path: string): readonly string[] {
  const users: string[] = []
  for (const line of linesOf(path)) {
    const words = line.replace(/#.*/, '').split(/[\s,]+/)
    const [account, ...fields] = words.find((word) => word !== '')?.split(':') ?? []
    users.push(...(account !== undefined && fields.length > 0 ? [account] : words).filter((user) => user !== ''))
  }
  return users
}

/** Addresses, networks and ranges, one or more a line, as the text of one statement. */
export function readAddressText(path: string): string {
  return [...linesOf(path)].map((line) => line.replace(/#.*/, '').replaceAll(',', ' ')).join(' ')
}

/** Reads a file that the configuration names; notes where it cannot. @throws {Failure} that of `read` */
export function attempt<Result>(
  { name, line }: Named,
  notes: Notes,
  dbhome: string,
  read: (path: string) => Result,
): Result | undefined {
  try {
    return read(resolve(dbhome, name))
  } catch (error) {
    if (error instanceof Failure) throw error
    const { code, message } = error as NodeJS.ErrnoException
    notes.addMissing(line, `${name} cannot be read (${code ?? message})`)
    return undefined
  }
}
