// Settings in a TOML file, some of which the command line replaces: one value, or every problem at once.
// What a problem shows holds no secret.
import { parse, TomlError } from 'smol-toml'
import type * as z from 'zod'
import { type ReadFile, readSecretFile } from './file.ts'
import { type ProblemList, problemList, ruleOf } from './problems.ts'
import { shown } from './shown.ts'

/** An option of the command line that replaces a key of the file. */
export interface FileOption {
  /** `--base-url`. */
  readonly name: string
  readonly table: string
  readonly key: string
  /** Undefined where the option was not given. */
  readonly value: unknown
  /** Whether the value is the path of a file that holds the secret. */
  readonly isSecretFile?: true
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
  /** The file's tables, with the values of the options; undefined where the file cannot be read. */
  readonly tables: Table | undefined
  /** The value that these tables have in this shape; undefined where they break one of its rules. */
  parse<Shape extends z.ZodType>(shape: Shape): z.output<Shape> | undefined
  /** Records that the value under this path breaks a rule ("must …"). */
  problem(path: readonly PropertyKey[], rule: string): void
  problems(): readonly string[]
}

export function readTomlFile(source: TomlSource): TomlReading {
  const problems = problemList()
  const tables = readTables(source, problems.add)
  const optionAt = (path: readonly PropertyKey[]) =>
    source.options.find(({ table, key }) => table === path[0] && key === path[1])

  function problem(path: readonly PropertyKey[], rule: string, isOfWrongKind = false): void {
    const option = optionAt(path)
    const value = path.reduce<unknown>((at, part) => (at as Table | undefined)?.[String(part)], tables)
    const isSecret = path.some((part) => source.secretKeys.includes(String(part)))
    const now = value === undefined ? 'unset' : isSecret ? 'a value that is not shown' : describe(value, isOfWrongKind)
    const thing = option?.value === undefined ? `${source.path}: ${spell(path)}` : option.name
    const isMissing = value === undefined && option !== undefined
    problems.add(thing, isMissing ? `${rule}, here or with ${option.name}` : rule, `it is now ${now}`)
  }

  return {
    tables,
    parse(shape) {
      if (tables === undefined) return undefined
      const result = shape.safeParse(tables, { error: wordIssue })
      for (const issue of result.error?.issues ?? []) {
        if (issue.code === 'unrecognized_keys') {
          for (const key of issue.keys) problem([...issue.path, key], issue.message, true)
        } else {
          const isOfWrongKind =
            issue.code === 'invalid_type' && (issue.expected === 'object' || issue.expected === 'array')
          problem(issue.path, ruleOf(issue.message), isOfWrongKind)
        }
      }
      return result.data
    },
    problem,
    problems: problems.lines,
  }
}

function readTables({ path, readFile, options }: TomlSource, add: ProblemList['add']): Table | undefined {
  const values = options.map((option) => {
    if (option.value === undefined || !option.isSecretFile) return { ...option, isGiven: option.value !== undefined }
    const { text, fault } = readSecretFile(String(option.value), readFile)
    if (fault !== undefined) add(option.name, fault, `it is now ${shown(String(option.value))}`)
    return { ...option, value: text, isGiven: true }
  })
  const file = parseFile(path, readFile, add)
  if (file === undefined) return undefined
  const tables: Record<string, unknown> = { ...file }
  for (const { table, key, value, isGiven } of values) {
    // A table that is missing as a whole lacks each of its keys.
    const present = tables[table] ?? {}
    if (typeof present === 'object') tables[table] = isGiven ? { ...present, [key]: value } : present
  }
  return tables
}

function parseFile(path: string, readFile: ReadFile, add: ProblemList['add']): Table | undefined {
  try {
    return parse(new TextDecoder('utf-8', { fatal: true }).decode(readFile(path)))
  } catch (error) {
    if (error instanceof TomlError) {
      // Its further lines quote the file, secrets included.
      const [what = ''] = error.message.split('\n')
      add(
        path,
        'must be TOML',
        `line ${error.line}, column ${error.column}: ${what.replace('Invalid TOML document: ', '')}`,
      )
    } else if (error instanceof TypeError) add(path, 'must be a file in UTF-8', 'it is in another encoding')
    else add(path, 'must be a file that can be read', `the system reports ${(error as NodeJS.ErrnoException).code}`)
    return undefined
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  object: 'a table',
  array: 'a list',
  boolean: 'true or false',
}

/** Messages of the issues for which no shape has one. */
function wordIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys((issue.inst as z.ZodObject | undefined)?.def.shape ?? {})
    return `must not be set: the known keys here are ${known.join(', ')}`
  }
  if (issue.code !== 'invalid_type') return undefined
  return issue.input === undefined ? 'must be set' : `${KINDS[issue.expected] ?? issue.expected}`
}

/** @param isOfWrongKind whether a text may stand in the place of a secret, so that only its kind is shown */
function describe(value: unknown, isOfWrongKind: boolean): string {
  if (Array.isArray(value)) return 'a list'
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object') return 'a table'
  if (isOfWrongKind) return typeof value === 'string' ? 'a text' : `a ${typeof value}`
  return typeof value === 'string' ? shown(value) : String(value)
}

/** `rules[2].override.code`, counted from 1. */
function spell(path: readonly PropertyKey[]): string {
  return path
    .map((part, depth) => (typeof part === 'number' ? `[${part + 1}]` : `${depth > 0 ? '.' : ''}${String(part)}`))
    .join('')
}
