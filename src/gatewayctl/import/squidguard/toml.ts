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
  const keys = [
    ...(days === undefined ? [] : [`days = ${text(days)}`]),
    ...(on === undefined ? [] : [`on = ${on}`]),
    ...(until === undefined ? [] : [`until = ${until}`]),
    ...(from === undefined ? [] : [`from = ${text(from)}`]),
    ...(to === undefined ? [] : [`to = ${text(to)}`]),
  ]
  return `{ ${keys.join(', ')} }`
}

function listText({ name, path, urls }: List): string {
  const files = [
    ...(path === undefined ? [] : [`path = ${text(path)}\n`]),
    ...(urls === undefined ? [] : [`urls = ${text(urls)}\n`]),
  ]
  return `[[lists]]\nname = ${text(name)}\n${files.join('')}`
}

function ruleText({ name, category, clients, groups, lists, match, when, except, action }: Rule): string {
  const lines = [
    `name = ${text(name)}`,
    ...(category === undefined ? [] : [`category = ${text(category)}`]),
    ...(clients === undefined ? [] : [`clients = ${array(clients)}`]),
    ...(groups === undefined ? [] : [`groups = ${array(groups)}`]),
    ...(when === undefined ? [] : [`when = ${whenText(when)}`]),
    ...(lists === undefined ? [] : [`lists = ${array(lists)}`]),
    ...(match === undefined ? [] : [`match = ${array(match)}`]),
    `action = ${text(action)}`,
    ...(except === undefined ? [] : [exceptText(except)]),
  ]
  return `[[rules]]\n${lines.join('\n')}\n`
}

function exceptText({ lists, match }: NonNullable<Rule['except']>): string {
  const lines = [
    ...(lists === undefined ? [] : [`lists = ${array(lists)}`]),
    ...(match === undefined ? [] : [`match = ${array(match)}`]),
  ]
  return `\n[rules.except]\n${lines.join('\n')}`
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
