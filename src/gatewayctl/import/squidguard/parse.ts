// Reads the blocks of a configuration. What the policy has nothing for is left out, and noted.
import { EXIT_MISUSED, Failure } from '../../failure.ts'
import { parseAddresses } from './addresses.ts'
import type { Acl, Configuration, Destination, Named, PassEntry, Source, TimeReference } from './configuration.ts'
import { type Block, type Cursor, createCursor } from './cursor.ts'
import type { Notes } from './notes.ts'
import { parseTime } from './times/parse-time.ts'
import { either, NEVER } from './times/timeline.ts'
import type { Token } from './tokens.ts'

/** That of Debian's package. */
const DEFAULT_DBHOME = '/var/lib/squidguard/db'

const DROPPED = {
  redirect: 'redirect: the portal shows its own pages',
  rewrite: 'rewrite: addresses are not rewritten. For strict search results, set safesearch in [inspection]',
  log: 'log: the engine has its own audit log',
}

const DIRECTORY = { kind: 'users', note: 'gateway-groups reads groups of a directory into files for [groups]' } as const
const PROGRAM = { kind: 'users', note: 'write the users into [groups], or into a file that it names' } as const
const NAMES = { kind: 'others', note: 'the names of clients are not compared' } as const

/** What a source may name that the policy cannot have. */
const LOST: Readonly<Record<string, typeof DIRECTORY | typeof PROGRAM | typeof NAMES>> = {
  ...{ group: DIRECTORY, ldapusersearch: DIRECTORY, execuserlist: PROGRAM, userquery: PROGRAM },
  ...{ domain: NAMES, ldapipsearch: NAMES },
}

/**
 * @param file for messages
 * @param year the current one
 * @throws {Failure} for anything but such a configuration
 */
export function parseConfiguration(text: string, file: string, year: number, notes: Notes): Configuration {
  const cursor = createCursor(text, file, notes)
  const found: Omit<Configuration, 'ufdbguard' | 'dbhome' | 'safesearch'> = {
    ...{ times: [], sources: [], destinations: [], acls: [] },
  }
  let dbhome = DEFAULT_DBHOME
  let safesearch = false

  /** Adds it, unless the name is taken. */
  function define<Type extends Named>(list: Type[], one: Type, kind: string): void {
    const first = list.find(({ name }) => name === one.name)
    if (first === undefined) list.push(one)
    else notes.add(one.line, `${kind} ${one.name}: line ${first.line} defines it already`)
  }

  while (cursor.peek() !== undefined) {
    const { text: keyword, line } = cursor.next()
    if (/^(dest|destination|category|cat)$/.test(keyword)) {
      define(found.destinations, readDestination(cursor, notes, keyword), 'destination')
    } else if (/^(src|source)$/.test(keyword)) define(found.sources, readSource(cursor, notes, keyword), 'source')
    else if (keyword === 'time') define(found.times, readTime(cursor, year, notes), 'time')
    else if (keyword === 'acl') found.acls.push(...readAcls(cursor, notes))
    else if (keyword === 'dbhome') dbhome = cursor.nameAfter(keyword).name
    else if (/^(rew|rewrite)$/.test(keyword)) skipRewrite(cursor, notes, keyword, line)
    else if (keyword === 'safe-search' && cursor.is('on')) {
      cursor.next()
      safesearch = true
    } else cursor.skip(keyword, line)
  }
  if (found.acls.length === 0) {
    throw new Failure(`${file} must be a configuration of squidGuard or ufdbGuard: it has no acl`, EXIT_MISUSED)
  }
  return { ...found, dbhome, safesearch, ufdbguard: cursor.ufdbguard() }
}

const joined = (words: readonly Token[]): string => words.map(({ text }) => text).join(' ')

/** Notes a statement that the policy has nothing for. */
function drop(cursor: Cursor, notes: Notes, kind: Block, keyword: string, line: number): void {
  const rest = joined(cursor.words(kind))
  if (keyword === 'redirect' || keyword === 'rewrite') notes.add(line, DROPPED[keyword])
  else if (keyword.startsWith('log')) notes.add(line, DROPPED.log)
  else notes.add(line, `${keyword} ${rest}: not imported`)
}

function skipRewrite(cursor: Cursor, notes: Notes, keyword: string, line: number): void {
  cursor.expect('{', `${keyword} ${cursor.nameAfter(keyword).name}`)
  while (!cursor.is('}')) cursor.next()
  cursor.next()
  notes.add(line, DROPPED.rewrite)
}

function readTimeReference(cursor: Cursor, keyword: string): TimeReference {
  return { ...cursor.nameAfter(keyword), isWithin: keyword === 'within' }
}

/** More are refused: each is compared with the others. */
const MAXIMUM_PERIODS = 5000
const TOO_MANY = { timeline: undefined, note: 'not imported: the time has too many dates' }

function readTime(cursor: Cursor, year: number, notes: Notes) {
  const named = cursor.nameAfter('time')
  cursor.expect('{', `time ${named.name}`)
  let timeline = NEVER
  cursor.block('time', (keyword, line) => {
    const text = joined(cursor.words('time'))
    const read = timeline.length > MAXIMUM_PERIODS ? TOO_MANY : parseTime(text, year)
    if (read.timeline !== undefined) timeline = either(timeline, read.timeline)
    if (read.note !== undefined) notes.add(line, `${keyword} ${text}: ${read.note}`)
  })
  return { ...named, timeline }
}

function readSource(cursor: Cursor, notes: Notes, keyword: string): Source {
  const named = cursor.nameAfter(keyword)
  cursor.expect('{', `${keyword} ${named.name}`)
  const source: Source = {
    ...named,
    ...{ clients: [], users: [], clientFiles: [], userFiles: [], kinds: new Set() },
    ...{ time: undefined, needsAll: undefined, isContinued: false },
  }
  cursor.block('source', (statement, line) => readOfSource(cursor, notes, source, statement, line))
  return source
}

function readOfSource(cursor: Cursor, notes: Notes, source: Source, keyword: string, line: number): void {
  const lost = LOST[keyword]
  if (/^ip(v[46])?$/.test(keyword)) {
    source.kinds.add('clients')
    const { ranges, faults } = parseAddresses(joined(cursor.words('source')))
    source.clients.push(...ranges)
    for (const fault of faults) notes.add(line, `ip ${fault}: no client has this address`)
  } else if (/^ip(v[46])?list$/.test(keyword)) {
    source.kinds.add('clients')
    source.clientFiles.push(cursor.nameAfter(keyword))
  } else if (keyword === 'user') {
    source.kinds.add('users')
    source.users.push(...cursor.words('source').map(({ text }) => text))
  } else if (keyword === 'userlist') {
    source.kinds.add('users')
    source.userFiles.push(cursor.nameAfter(keyword))
  } else if (lost !== undefined) {
    cursor.words('source')
    source.kinds.add(lost.kind)
    notes.add(line, `${keyword}: ${lost.note}`)
  } else if (keyword === 'within' || keyword === 'outside') source.time = readTimeReference(cursor, keyword)
  else if (keyword === 'continue') source.isContinued = true
  else if (keyword.startsWith('evaluate-')) source.needsAll = keyword === 'evaluate-and'
  // `unix user`, `unix userlist` and `unix group` are what they are without it.
  else if (keyword !== 'unix') drop(cursor, notes, 'source', keyword, line)
}

function readDestination(cursor: Cursor, notes: Notes, keyword: string): Destination {
  const named = cursor.nameAfter(keyword)
  cursor.expect('{', `${keyword} ${named.name}`)
  const destination: Destination = {
    ...{ ...named, domains: undefined, urls: undefined, time: undefined, hasRedirect: false },
  }
  cursor.block('destination', (statement, line) => {
    if (statement === 'domainlist' || statement === 'urllist') {
      const key = statement === 'domainlist' ? 'domains' : 'urls'
      const { name } = cursor.nameAfter(statement)
      const before = destination[key]
      if (before !== undefined) notes.add(before.line, `${statement} ${before.name}: line ${line} replaces it`)
      destination[key] = { name: name === '-' ? `dest/${named.name}/${statement}` : name, line }
    } else if (statement === 'within' || statement === 'outside') {
      destination.time = readTimeReference(cursor, statement)
    } else if (statement === 'expressionlist') {
      notes.add(line, `expressionlist ${joined(cursor.words('destination'))}: the policy has no expressions`)
    } else {
      if (statement === 'redirect' || statement === 'rewrite') destination.hasRedirect = true
      drop(cursor, notes, 'destination', statement, line)
    }
  })
  return destination
}

function readAcls(cursor: Cursor, notes: Notes): readonly Acl[] {
  const acls: Acl[] = []
  cursor.expect('{', 'acl')
  while (!cursor.is('}')) {
    const named = cursor.nameAfter('{')
    const keyword = ['within', 'outside'].find((one) => cursor.is(one))
    if (keyword !== undefined) cursor.next()
    const time = keyword === undefined ? undefined : readTimeReference(cursor, keyword)
    cursor.expect('{', named.name)
    acls.push(readAcl(cursor, notes, { ...named, time }))
    if (!cursor.is('else')) continue
    const { line } = cursor.next()
    cursor.expect('{', 'else')
    acls.push(readAcl(cursor, notes, { name: named.name, line, time: 'else' }))
  }
  cursor.next()
  return acls
}

function readAcl(cursor: Cursor, notes: Notes, given: Pick<Acl, 'name' | 'line' | 'time'>): Acl {
  const acl: Acl = { ...given, pass: [], hasRedirect: false }
  cursor.block('acl', (statement, line) => {
    if (statement === 'pass') {
      acl.pass.push(...readPass(cursor, notes, line))
      return
    }
    if (statement === 'redirect') acl.hasRedirect = true
    drop(cursor, notes, 'acl', statement, line)
  })
  return acl
}

function readPass(cursor: Cursor, notes: Notes, line: number): readonly PassEntry[] {
  const entries: PassEntry[] = []
  let isPassed = true
  for (const { text, line: place, isQuoted } of cursor.words('acl')) {
    if (text === '!' && !isQuoted) isPassed = false
    else {
      entries.push({ name: text, line: place, isPassed })
      isPassed = true
    }
  }
  if (!isPassed) notes.add(line, 'pass: a name is missing after !')
  return entries
}
