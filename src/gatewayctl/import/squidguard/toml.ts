// The policy's file.
import type { List } from './destinations.ts'
import type { Rule } from './rules.ts'
import type { Group } from './sources.ts'

export interface PolicyFile {
  /** Lines at its beginning. */
  readonly comments: readonly string[]
  readonly default: 'allow' | 'block'
  readonly safesearch: boolean
  readonly groups: readonly Group[]
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

export function policyText({ comments, default: verdict, safesearch, groups, lists, rules }: PolicyFile): string {
  const tables = [
    ...(safesearch ? ['[inspection]\nsafesearch = true\n'] : []),
    ...(groups.length === 0 ? [] : [`[groups]\n${groups.map(groupText).join('')}`]),
    ...rules.map(ruleText),
    ...lists.map(listText),
  ]
  const head = comments.map((comment) => `# ${comment}`.trimEnd()).join('\n')
  return `${head}\n\ndefault = ${text(verdict)}\n${[HEAD, ...tables].join('\n')}`
}

function groupText({ name, users }: Group): string {
  return `[groups.${text(name)}]\nusers = ${array(users)}\n`
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
    ...(when === undefined
      ? []
      : [`when = { days = ${text(when.days)}, from = ${text(when.from)}, to = ${text(when.to)} }`]),
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

/** On one line if it fits. */
function array(values: readonly string[]): string {
  const items = values.map(text)
  const short = `[${items.join(', ')}]`
  return short.length <= WIDTH - 20 ? short : `[\n${items.map((item) => `  ${item},`).join('\n')}\n]`
}

/** A basic string of TOML: that of JSON, with DEL escaped. */
function text(value: string): string {
  return JSON.stringify(value.toWellFormed()).replaceAll('\u007f', '\\u007f')
}
