// Settings in a TOML file, some of which the command line replaces: one value, or every problem at once.
// Problems never contain secrets.
import { parse, TomlError } from 'smol-toml'
import type * as z from 'zod'
import { type ReadFile, readFault, readSecretFile } from './file.ts'
import { type ProblemList, problemList, ruleOf } from './problems.ts'
import { issuesOfKind } from './shapes.ts'
import { quoted, shown } from './shown.ts'
import { type FindLine, tomlLines } from './toml-lines.ts'

/** An option of the command line that replaces a key of the file. */
export interface FileOption {
  /** `--publish`, or a variable. */
  readonly name: string
  readonly table: string
  readonly key: string
  /** Undefined when the option was not given. */
  readonly value: unknown
  /** Whether the value is the path of a file that holds the secret. */
  readonly isSecretFile?: true
  /** Whether a file without the table is complete. */
  readonly isOptional?: true
}

export interface TomlSource {
  readonly path: string
  readonly readFile: ReadFile
  readonly options: readonly FileOption[]
  /** Names of keys whose values are never shown, wherever they are in the file. */
  readonly secretKeys: readonly string[]
}

type Table = Readonly<Record<string, unknown>>

export interface TomlReading {
  /** The file's tables, with the values of the options; undefined when the file cannot be read, is empty or cut. */
  readonly tables: Table | undefined
  /** Parses the value at this path, at first all tables; undefined when it breaks one of the shape's rules. */
  parse<Shape extends z.ZodType>(shape: Shape, path?: readonly PropertyKey[]): z.output<Shape> | undefined
  /** Records that the value at this path breaks a rule ("must …"). */
  problem(path: readonly PropertyKey[], rule: string): void
  problems(): readonly string[]
  /** Whether the value at this path is a list. */
  isList(path: readonly PropertyKey[]): boolean
  readonly lineOf: FindLine
  /** Where a value is set, for a problem: `policy.toml:12: rules[2].name`. */
  placeOf(path: readonly PropertyKey[]): string
}

export function readTomlFile(source: TomlSource): TomlReading {
  const problems = problemList()
  const { tables, lineOf } = readTables(source, problems.add)
  const optionAt = (path: readonly PropertyKey[]) =>
    source.options.find(({ table, key }) => table === path[0] && key === path[1])

  const valueAt = (path: readonly PropertyKey[]) =>
    path.reduce<unknown>((at, part) => (at as Table | undefined)?.[String(part)], tables)

  function placeOf(path: readonly PropertyKey[]): string {
    const line = lineOf(path)
    return `${source.path}${line === undefined ? '' : `:${line}`}: ${formatPath(path)}`
  }

  function problem(path: readonly PropertyKey[], rule: string, isOfWrongKind = false): void {
    const option = optionAt(path)
    const value = valueAt(path)
    const isSecret = path.some((part) => source.secretKeys.includes(String(part)))
    const now = value === undefined ? 'unset' : isSecret ? 'a value that is not shown' : describe(value, isOfWrongKind)
    const isContent = option?.isSecretFile && value !== undefined
    const content = isContent ? `: the content of ${shown(String(option.value))}` : ''
    const thing = option?.value === undefined ? placeOf(path) : `${option.name}${content}`
    const isMissing = value === undefined && option !== undefined
    problems.add(thing, isMissing ? `${rule}, here or with ${option.name}` : rule, `it is now ${now}`)
  }

  return {
    tables,
    parse(shape, path = []) {
      if (tables === undefined) return undefined
      const result = shape.safeParse(valueAt(path), { error: issueText })
      for (const issue of (result.error?.issues ?? []).flatMap(issuesOfKind)) {
        const at = [...path, ...issue.path]
        if (issue.code === 'unrecognized_keys') {
          for (const key of issue.keys) problem([...at, key], issue.message, true)
        } else {
          const isOfWrongKind = issue.code === 'invalid_type' && TABLES_AND_LISTS.includes(issue.expected)
          problem(at, ruleOf(issue.message), isOfWrongKind)
        }
      }
      return result.data
    },
    problem,
    problems: problems.lines,
    isList: (path) => Array.isArray(valueAt(path)),
    lineOf,
    placeOf,
  }
}

interface ReadTables {
  readonly tables: Table | undefined
  readonly lineOf: FindLine
}

function readTables({ path, readFile, options }: TomlSource, add: ProblemList['add']): ReadTables {
  const values = options.map((option) => {
    if (option.value === undefined || !option.isSecretFile) return { ...option, isGiven: option.value !== undefined }
    const { text, fault } = readSecretFile(String(option.value), readFile)
    if (fault !== undefined) add(option.name, fault, `it is now ${shown(String(option.value))}`)
    return { ...option, value: text, isGiven: true }
  })
  const text = readText(path, readFile, add)
  const file = text === undefined ? undefined : parseText(path, text, add)
  if (text === undefined || file === undefined) return { tables: undefined, lineOf: () => undefined }
  const tables: Record<string, unknown> = { ...file }
  for (const { table, key, value, isGiven, isOptional } of values) {
    if (isOptional && !isGiven && tables[table] === undefined) continue
    // If a whole table is missing, each of its keys is reported.
    const present = tables[table] ?? {}
    if (typeof present === 'object') tables[table] = isGiven ? { ...present, [key]: value } : present
  }
  return { tables, lineOf: tomlLines(text) }
}

function readText(path: string, readFile: ReadFile, add: ProblemList['add']): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFile(path))
  } catch (error) {
    if (error instanceof TypeError) add(path, 'must be a file in UTF-8', 'it is in another encoding')
    else add(path, 'must be a file that can be read', readFault(error))
    return undefined
  }
}

/** A file that is being written, or was cut, is a valid one at many lengths. */
function parseText(path: string, text: string, add: ProblemList['add']): Table | undefined {
  if (text !== '' && !text.endsWith('\n')) {
    add(path, 'must end in a line feed: it may be cut', `line ${text.split('\n').length} has none`)
    return undefined
  }
  try {
    const tables = parse(text)
    if (Object.keys(tables).length > 0) return tables
    add(path, 'must not be empty', text === '' ? 'it has no bytes' : 'it has nothing but comments and white space')
    return undefined
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // Its further lines quote the file, secrets included.
    const [what = ''] = error.message.split('\n')
    add(
      path,
      'must be TOML',
      `line ${error.line}, column ${error.column}: ${what.replace('Invalid TOML document: ', '')}`,
    )
    return undefined
  }
}

const TABLES_AND_LISTS: readonly string[] = ['object', 'array', 'record']

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  object: 'a table',
  record: 'a table',
  array: 'a list',
  boolean: 'true or false',
}

/** Messages for issues without a message of their shape. */
function issueText(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys((issue.inst as z.ZodObject | undefined)?.def.shape ?? {})
    return `must not be set: the keys allowed here are ${known.join(', ')}`
  }
  if (issue.code === 'invalid_key') return `must have another key: ${issue.issues[0]?.message}`
  if (issue.code !== 'invalid_type') return undefined
  return issue.input === undefined ? 'must be set' : `${KINDS[issue.expected] ?? issue.expected}`
}

/** @param isOfWrongKind whether the value has the wrong type, and may be a misplaced secret: only its type is shown */
function describe(value: unknown, isOfWrongKind: boolean): string {
  if (Array.isArray(value)) return 'a list'
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object') return 'a table'
  if (isOfWrongKind) return `a ${typeof value}`
  return typeof value === 'string' ? shown(value) : String(value)
}

/** `rules[2].override.code`, counted from 1. */
function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, depth) => (typeof part === 'number' ? `[${part + 1}]` : `${depth > 0 ? '.' : ''}${formatKey(part)}`))
    .join('')
}

/** Any key but a bare one may contain everything. */
function formatKey(key: PropertyKey): string {
  const text = String(key)
  return /^[\w-]{1,100}$/.test(text) ? text : quoted(text)
}
