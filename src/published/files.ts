// The files of what is published: plain lines, in the syntax of Squid's access lists. Writer and reader share each file's rules,
// so that the engine publishes nothing that the proxy refuses.
import { parseAddressRange, rangeText } from '../network/address-range.ts'
import { parseHost } from '../network/host.ts'
import { domainText, spelled, withoutCovered } from './domains.ts'
import type { Domain, Published, Tenant } from './published.ts'
import { isTenantHeader } from './tenant-header.ts'

interface PublishedFile<Value> {
  readonly name: string
  /** In place of a file that is missing. */
  readonly missing: Value
  lines(value: Value): readonly string[]
  /** @throws {InvalidLine} */
  parse(lines: readonly string[]): Value
}

export class InvalidLine extends Error {
  /** From 0. */
  readonly index: number
  constructor(index: number) {
    super('not valid')
    this.index = index
  }
}

const exemptHosts = list('exempt-hosts', parseDomain, domainText)

export const FILES: { readonly [Key in keyof Published]: PublishedFile<Published[Key]> } = {
  portalNames: list('portal-names', parseName, spelled),
  exemptHosts: { ...exemptHosts, parse: (lines) => withoutCovered(exemptHosts.parse(lines)) },
  exemptClients: list('exempt-clients', parseAddressRange, rangeText),
  internal: list('internal', parseAddressRange, rangeText),
  safesearch: choice('safesearch', new Map([['on', true]]), false),
  youtube: choice<Published['youtube']>('youtube', wordsOf('strict', 'moderate'), undefined),
  tenants: list('tenants', parseTenant, ({ domain, header, value }) => `${domainText(domain)} ${header} ${value}`),
  ruledHosts: choice('ruled-hosts', wordsOf('every', 'some'), 'every'),
}

function list<Entry>(
  name: string,
  parse: (line: string) => Entry | undefined,
  text: (entry: Entry) => string,
): PublishedFile<readonly Entry[]> {
  return {
    name,
    missing: [],
    lines: (entries) => entries.map(text),
    parse: (lines) =>
      lines.map((line, index) => {
        const entry = parse(line)
        if (entry === undefined) throw new InvalidLine(index)
        return entry
      }),
  }
}

/** A file with one of these lines, or with none. */
function choice<Value>(name: string, values: ReadonlyMap<string, Value>, missing: Value): PublishedFile<Value> {
  return {
    name,
    missing,
    lines: (value) => [...values].flatMap(([line, meant]) => (meant === value ? [line] : [])),
    parse([line, ...others]) {
      if (line === undefined) return missing
      const value = values.get(line)
      if (value === undefined || others.length > 0) throw new InvalidLine(value === undefined ? 0 : 1)
      return value
    },
  }
}

function wordsOf<Word extends string>(...words: readonly Word[]): ReadonlyMap<string, Word> {
  return new Map(words.map((word) => [word, word]))
}

function parseName(line: string): string | undefined {
  const host = parseHost(line)
  return host !== undefined && spelled(host) === line ? host : undefined
}

export function parseDomain(line: string): Domain | undefined {
  const below = line.startsWith('.')
  const host = parseName(below ? line.slice(1) : line)
  return host === undefined ? undefined : { host, below }
}

function parseTenant(line: string): Tenant | undefined {
  const [, entry = '', header = '', value = ''] = /^([^ ]+) ([^ ]+) ([!#-[\]-~][ !#-[\]-~]{0,999})$/.exec(line) ?? []
  const domain = parseDomain(entry)
  return domain && isTenantHeader(header) ? { domain, header, value } : undefined
}
