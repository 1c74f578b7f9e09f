// Lists a second time: slow, obvious, and without a line of the engine's. Each line is one regular expression, all entries are in
// an array, and every host and path is compared with each of them.
import { BlockList, isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { allReadings } from '../origin-servers.ts'

interface Item {
  readonly kind: 'name' | 'url' | 'network' | 'never' | 'not itself' | 'not below'
  readonly host: string
  readonly path: string
}

export interface ObviousList {
  readonly items: readonly Item[]
  readonly malformed: number
  readonly skipped: number
}

type Read = (groups: readonly string[]) => readonly Item[] | 'skipped' | 'malformed'

const name = (text: string, kind: Item['kind'] = 'name'): Item => ({ kind, host: ascii(text), path: '' })

/** The formats of a line, in the order in which they are tried. */
const LINES: readonly (readonly [line: RegExp, read: Read])[] = [
  [/^([#!;].*)?$/, () => []],
  [/^\|\|([^^/*$]+)\^(?:\s+#.*)?$/, ([host = '']) => [name(host)]],
  [/^@@\|\|([^^/*$]+\.[^^/*$]+)\^$/, ([host = '']) => [name(host, 'never')]],
  [/^(?:\|\||@@|\S+##)/, () => 'skipped'],
  [/^(?:address=\/|(?:local|server)=\/(?=[^/]*\/$))([^/]+)\/\S*$/, ([host = '']) => [name(host)]],
  [/^(?:local|server)=/, () => 'skipped'],
  [
    /^local-zone: "(\S+?)\.?" (\S+)$/,
    ([host = '', type = '']) => {
      if (['always_nxdomain', 'static'].includes(type)) return [name(host)]
      return type === 'transparent' ? [name(host, 'not itself'), name(host, 'not below')] : 'skipped'
    },
  ],
  [
    /^(\*\.)?(\S+) CNAME (\S+)$/,
    ([below = '', host = '', target = '']) => {
      if (target === '.' || target === '*.') return [name(host)]
      return target === 'rpz-passthru.' ? [name(host, below === '' ? 'not itself' : 'not below')] : 'skipped'
    },
  ],
  [
    /^(?:0|::1|0\.0\.0\.0)\s+(\S+)(?:\s+(\S+))?$/,
    (hosts) => hosts.flatMap((one) => (one === '' || isIP(one) > 0 ? [] : [name(one)])),
  ],
  [
    /^(192\.0\.2\.[048]\/(?:29|30|31)|2001:db8::\/126)$/,
    ([range = '']) => [{ kind: 'network', host: range, path: '' }],
  ],
  [/^([^/\s]+)\/+$/, ([host = '']) => [name(host)]],
  [
    /^(?:\*?\.)?([^/\s:]+)(?::\d+)?\/([^\s?;]+?)\/*$/,
    ([host = '', path = '']) => [{ kind: 'url', host: ascii(host), path }],
  ],
  [/^[^/\s]+\/\S*[?;]\S*$/, () => 'skipped'],
  [/^(?:\*?\.)?((?:[^./\s]+\.)+[^./\s]+?|[\da-f:]+)\.?(?:\s+#.*)?$/, ([host = '']) => [name(host)]],
  [/^/, () => 'malformed'],
]

export function obviousList(text: string): ObviousList {
  const read = text.split(/\r\n|\n|\r/).map((line) => {
    const trimmed = line.trim()
    for (const [pattern, items] of LINES) {
      const [found, ...groups] = pattern.exec(trimmed) ?? []
      if (found !== undefined) return items(groups.map((group) => group ?? ''))
    }
    return []
  })
  return {
    items: read.flatMap((one) => (typeof one === 'string' ? [] : one)),
    malformed: read.filter((one) => one === 'malformed').length,
    skipped: read.filter((one) => one === 'skipped').length,
  }
}

/** Whether the list covers the request; `'ambiguous'` if that depends on a path that no browser sends. */
export function obviouslyCovers({ items }: ObviousList, url: string, strict: boolean): boolean | 'ambiguous' {
  const { hostname } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const sent = /^[^:]+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] || '/'
  const of = (kind: Item['kind']) => items.filter((one) => one.kind === kind)
  if (of('never').some((one) => isAtOrBelow(host, one.host))) return false
  const depth = (hosts: readonly Item[]) => Math.max(0, ...hosts.map((one) => one.host.split('.').length))
  const listed = depth(of('name').filter((one) => isAtOrBelow(host, one.host)))
  const itself = of('not itself').filter((one) => one.host === host)
  const below = of('not below').filter((one) => one.host !== host && isAtOrBelow(host, one.host))
  const opened = depth([...itself, ...below])
  if (listed > opened) return true
  if (opened === 0 && of('network').some((one) => isInNetwork(one.host, host))) return true
  const urls = of('url').filter((one) => isAtOrBelow(host, one.host))
  if (urls.length === 0) return false
  const isDot = (segment: string) => ['.', '..'].includes(segment.replaceAll(/%2e/gi, '.'))
  if (sent.includes('\\') || sent.split('/').some(isDot)) return 'ambiguous'
  const readings = [...allReadings(sent)]
  // On one host, all paths count together.
  return [...new Set(urls.map((one) => one.host))].some((one) => {
    const wanted = urls.filter((item) => item.host === one).map(({ path }) => `/${path}`)
    const isBelow = (path: string, prefixes: readonly string[]) => {
      return prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
    }
    const all = wanted.flatMap((path) => [...allReadings(path)].map((reading) => reading.replace(/\/+$/, '')))
    if (strict) return isBelow(sent, wanted) && readings.every((reading) => isBelow(reading, all))
    const small = all.map((path) => path.toLowerCase())
    return readings.some((reading) => isBelow(reading.toLowerCase(), small))
  })
}

function ascii(host: string): string {
  return isIP(host) > 0 ? host : domainToASCII(host)
}

function isAtOrBelow(host: string, name: string): boolean {
  return host === name || (isIP(host) === 0 && host.endsWith(`.${name}`))
}

function isInNetwork(network: string, host: string): boolean {
  const [address = '', bits] = network.split('/')
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(address, Number(bits), family)
  return isIP(host) === isIP(address) && list.check(host, family)
}
