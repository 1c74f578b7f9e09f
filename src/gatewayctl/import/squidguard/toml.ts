// The policy's file.
import type { List } from './destinations.ts'
import type { Rule } from './rules.ts'
import type { Group } from './sources.ts'
import type { NamedSchedule, When } from './times/schedules.ts'
import type { Span } from './times/timeline.ts'

export interface PolicyFile {
  /** Lines at its beginning. */
  readonly comments: readonly string[]
  readonly default: 'allow' | 'block'
  readonly safesearch: boolean
  readonly groups: readonly Group[]
  readonly schedules: readonly NamedSchedule[]
  readonly lists: readonly List[]
  readonly rules: readonly Rule[]
}

const HEAD = `
[captive_portal]
base_url = "https://portal.example"        # the portal's public address; GATEWAY_CAPTIVE_BASE_URL overrides it
# secret: --secret-file

[certificates]
# folder: --publish

[control]
# api_token: --api-token-file
`

const WIDTH = 120

export function policyText(file: PolicyFile): string {
  const { comments, default: verdict, safesearch, groups, schedules, lists, rules } = file
  const tables = [
    ...(safesearch ? ['[inspection]\nsafesearch = true\n'] : []),
    ...(groups.length === 0 ? [] : [`[groups]\n${groups.map(groupText).join('')}`]),
    ...(schedules.length === 0 ? [] : [`[schedules]\n${schedules.map(scheduleText).join('')}`]),
    ...rules.map(ruleText),
    ...lists.map(listText),
  ]
  const head = comments.map((comment) => `# ${comment}`.trimEnd()).join('\n')
  return `${head}\n\ndefault = ${text(verdict)}\n${[HEAD, ...tables].join('\n')}`
}

function groupText({ name, users }: Group): string {
  return `[groups.${text(name)}]\nusers = ${array(users)}\n`
}

function scheduleText({ name, spans }: NamedSchedule): string {
  return `${text(name)} = ${whenText(spans)}\n`
}

function whenText(when: When): string {
  const items = when.map((one) => (typeof one === 'string' ? text(one) : spanText(one)))
  return items.length === 1 ? items.join('') : arrayOf(items)
}

function spanText({ days, on, until, from, to }: Span): string {
  const keys = { ...texts({ days }), on, until, ...texts({ from, to }) }
  return `{ ${assignments(keys).join(', ')} }`
}

function listText({ name, path, urls }: List): string {
  return table('[[lists]]', texts({ name, path, urls }))
}

function ruleText({ name, category, clients, groups, lists, match, when, except, action }: Rule): string {
  const rule = table('[[rules]]', {
    ...texts({ name, category }),
    ...arrays({ clients, groups }),
    when: when && whenText(when),
    ...arrays({ lists, match }),
    ...texts({ action }),
  })
  return except === undefined ? rule : `${rule}\n${table('[rules.except]', arrays({ ...except }))}`
}

/** Values as the file has them, by key; those that are undefined are left out. */
type Values = Readonly<Record<string, string | undefined>>

function table(head: string, values: Values): string {
  return `${[head, ...assignments(values)].join('\n')}\n`
}

function assignments(values: Values): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [`${key} = ${value}`]))
}

function texts(values: Values): Values {
  return mapped(values, text)
}

function arrays(values: Readonly<Record<string, readonly string[] | undefined>>): Values {
  return mapped(values, array)
}

function mapped<Value>(values: Readonly<Record<string, Value | undefined>>, write: (value: Value) => string): Values {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, value === undefined ? undefined : write(value)]),
  )
}

function array(values: readonly string[]): string {
  return arrayOf(values.map(text))
}

/** On one line if it fits. */
function arrayOf(items: readonly string[]): string {
  const short = `[${items.join(', ')}]`
  return short.length <= WIDTH - 20 ? short : `[\n${items.map((item) => `  ${item},`).join('\n')}\n]`
}

/** A basic string of TOML: that of JSON, with DEL escaped. */
function text(value: string): string {
  return JSON.stringify(value.toWellFormed()).replaceAll('\u007f', '\\u007f')
}
