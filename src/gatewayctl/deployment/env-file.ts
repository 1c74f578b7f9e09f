// Reads the deployment's `.env`, and sets one variable without changing the rest. Compose, docker-compose 1 and systemd read the
// same file, each by its own rules (test/gatewayctl/env-files.json): a line that they read differently is a problem.

export interface EnvFile {
  /** The last assignment of each name. */
  readonly values: Readonly<Record<string, string>>
  /** `LINE: what to write instead`, without any value, which may be a secret. */
  readonly problems: readonly string[]
}

export function parseEnvFile(bytes: Uint8Array): EnvFile {
  const text = decode(bytes)
  if (text === undefined) return { values: {}, problems: ['1: must be UTF-8 text: save the file as UTF-8'] }
  const problems: string[] = []
  const assignments: [name: string, value: string][] = []
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  if (text.startsWith('\uFEFF')) problems.push(`1: ${BYTE_ORDER_MARK}`)
  for (const [at, line] of lines.entries()) {
    const read = parseLine(line.replace(/\r$/, ''))
    if (read === undefined) continue
    if (typeof read === 'string') problems.push(`${at + 1}: ${read}`)
    else assignments.push([read.name, read.value])
  }
  return { values: Object.fromEntries(assignments), problems }
}

/**
 * @param text without problems
 * @param value characters that need no quotes
 */
export function withVariable(text: string, name: string, value: string): string {
  const pattern = new RegExp(`^([ \\t]*${name}[ \\t]*=[ \\t]*)("[^"\\r\\n]*"|'[^'\\r\\n]*'|[^\\s]*)`, 'gm')
  const last = [...text.matchAll(pattern)].at(-1)
  if (last === undefined) return `${text}${/[^\n]$/.test(text) ? '\n' : ''}${name}=${value}\n`
  const [whole, start = ''] = last
  return text.slice(0, last.index) + start + value + text.slice(last.index + whole.length)
}

const BYTE_ORDER_MARK =
  'begins with a byte order mark, which systemd takes for a part of the first name: save the file without it'

type Line = { readonly name: string; readonly value: string } | string | undefined

/** A problem is a string; undefined for a blank line and a comment. */
function parseLine(line: string): Line {
  if (/[^\P{Cc}\t]/u.test(line)) return 'has a control character: remove it'
  const text = line.replace(/^[ \t]+|[ \t]+$/g, '')
  if (text === '') return undefined
  if (text.startsWith('#')) {
    return text.endsWith('\\')
      ? 'the comment ends in a backslash, which hides the next line from systemd: remove it'
      : undefined
  }
  const [, name = '', given] = /^([^=]*?)[ \t]*=[ \t]*(.*)$/.exec(text) ?? []
  if (given === undefined) return 'must be NAME=value, or a comment that begins with #'
  const [, exported] = /^export[ \t]+([A-Za-z_]\w*)$/.exec(name) ?? []
  if (exported !== undefined) return `systemd ignores a line with export: write ${exported}=…`
  if (!/^[A-Za-z_]\w*$/.test(name)) return 'must be NAME=value, with a name of letters, digits and underscores'
  const value = parseValue(given)
  return typeof value === 'string' ? `${name}: ${value}` : { name, value: value.is }
}

type Value = { readonly is: string } | string

/** A problem is a string. */
function parseValue(given: string): Value {
  const [quote = ''] = /^["']/.exec(given) ?? []
  if (quote === '') return parsePlain(given)
  const [, inside, after] = (quote === '"' ? /^"((?:[^"\\]|\\.)*)"(.*)$/ : /^'([^']*)'(.*)$/).exec(given) ?? []
  if (inside === undefined) return `the closing ${quote} must be on the same line`
  if (quote === "'" && /\\(['\\]|$)/.test(inside)) {
    return 'compose and systemd read this backslash differently: use double quotes, and write \\\\ for a backslash'
  }
  if (after !== '') return 'nothing may follow the closing quote: put a comment on its own line'
  if (quote === "'") return inside.includes('${') ? DOLLAR_BRACE : { is: inside }
  if (!/^(?:[^\\]|\\["\\])*$/.test(inside)) {
    return 'compose and systemd read this backslash differently: use single quotes, or write \\\\ for a backslash'
  }
  return dollarProblem(inside) ?? { is: inside.replace(/\\(.)/g, '$1') }
}

function parsePlain(given: string): Value {
  if (/(^|[ \t])#/.test(given)) {
    return 'not every program reads a comment after a value: put it on its own line, or a value with # in quotes'
  }
  if (given.includes('\\')) return 'systemd removes the backslash: put the value in single quotes'
  if (given !== given.trim()) return 'begins or ends with a space that only some programs remove: remove it'
  return dollarProblem(given) ?? { is: given }
}

const DOLLAR_BRACE = 'compose replaces $ and a name in braces, systemd does not: write the value itself'

function dollarProblem(text: string): string | undefined {
  if (text.includes('${')) return DOLLAR_BRACE
  if (!/\$[A-Za-z_$]/.test(text)) return undefined
  return 'compose replaces $NAME and $$, systemd does not: put a value with a dollar sign in single quotes'
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
