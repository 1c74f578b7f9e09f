// Shapes of the proxy's settings. Each value can stand in squid.conf: none has white space, a quotation mark or a line break.
import { isIP, isIPv6 } from 'node:net'
import { resolve } from 'node:path'
import { parseAddress } from '../../network/address.ts'
import { type AddressRange, parseAddressRange } from '../../network/address-range.ts'
import { parseDomain } from '../../published/files.ts'
import type { Domain } from '../../published/published.ts'
import { host, origin, parsed } from '../shapes.ts'

/** Squid reads a line of more than 8191 bytes as several. */
const MAXIMUM_PORTS = 1000

/** A port, on one address or on all. */
export interface Listener {
  /** Canonical. */
  readonly address: string | undefined
  readonly port: number
}

export interface IcapService {
  /** As written. */
  readonly url: string
  readonly isTls: boolean
  /** A name, or an address without brackets. */
  readonly host: string
  readonly port: number
}

/** A file, or `FACILITY.PRIORITY` of syslog. */
export type AccessLog = { readonly file: string } | { readonly syslog: string }

/** A URL whose host Squid's access lists can have: a name in ASCII, or an address. */
export const portalUrl = parsed('a URL such as https://portal.example, its host in ASCII (Punycode)', (text) => {
  const { data: url } = origin.safeParse(text)
  const isHost = url !== undefined && host.safeParse(url.hostname.replace(/^\[(.*)\]$/, '$1')).success
  return isHost && url.port !== '0' && /^[!-~]+$/.test(text) ? url : undefined
})

export const networks = parsed('addresses and networks such as 192.0.2.0/24, separated by spaces or commas', (text) => {
  const ranges = text.split(/[\s,]+/).flatMap((word) => (word === '' ? [] : [parseAddressRange(word)]))
  return ranges.length > 0 && ranges.every((range) => range !== undefined) ? (ranges as AddressRange[]) : undefined
})

export const domains = parsed(
  'hosts such as app.example, or .app.example with all hosts below it, separated by spaces',
  (text): readonly Domain[] | undefined => {
    const domains = text.split(/\s+/).map(parseDomain)
    return domains.every((domain) => domain !== undefined) ? (domains as Domain[]) : undefined
  },
)

export const ports = parsed('ports from 1 to 65535, separated by spaces', parsePorts)

export const httpsPorts = parsed(
  'ports from 1 to 65535, separated by spaces',
  (text) => {
    const numbers = parsePorts(text)
    return numbers?.includes(80) ? undefined : numbers
  },
  (text) =>
    parsePorts(text)?.includes(80)
      ? 'must not have 80: nothing there is encrypted. For ws://, exempt the host ([inspection] exempt)'
      : undefined,
)

export const listeners = parsed(
  'ADDRESS:PORT or PORT, several separated by spaces',
  (text): readonly [Listener, ...Listener[]] | undefined => {
    const [first, ...others] = text.split(/\s+/).map(parseListener)
    const isGood = first !== undefined && others.every((listener) => listener !== undefined)
    return isGood ? [first, ...(others as Listener[])] : undefined
  },
)

export const icapService = parsed(
  'a URL such as icap://127.0.0.1:1344/reqmod',
  (text): IcapService | undefined => {
    const [, scheme, v6, name = v6, digits = scheme === 'icaps' ? '11344' : '1344'] =
      /^(icaps?):\/\/(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::([0-9]+))?\/[A-Za-z0-9._/:-]+$/.exec(text) ?? []
    const port = parsePort(digits)
    const { data } = host.safeParse(name)
    if (port === undefined || data === undefined || (v6 !== undefined && !isIPv6(v6))) return undefined
    return { url: text, isTls: scheme === 'icaps', host: data, port }
  },
  (text) =>
    /^icaps?:\/\/[^/]+\/?$/.test(text)
      ? "must have a path: the engine's is /reqmod, as in icap://127.0.0.1:1344/reqmod"
      : undefined,
)

/** As an absolute path, also where the working folder makes it one. */
export const squidPath = parsed('a path of letters, digits and any of . _ / + @ -', (text) =>
  /^[A-Za-z0-9._/+@-]+$/.test(resolve(text)) ? resolve(text) : undefined,
)

export const accessLog = parsed(
  'off, an absolute path, or syslog:FACILITY.PRIORITY',
  (text): AccessLog | 'off' | undefined => {
    if (text === 'off') return text
    if (!/^[A-Za-z0-9.:_/-]+$/.test(text)) return undefined
    if (text.startsWith('/')) return { file: text }
    const [, syslog] = /^syslog:([^:]+\.[^:]+)$/.exec(text) ?? []
    return syslog === undefined ? undefined : { syslog }
  },
)

function parsePorts(text: string): readonly number[] | undefined {
  const numbers = text.split(/\s+/).map(parsePort)
  const isGood = numbers.length <= MAXIMUM_PORTS && numbers.every((port) => port !== undefined)
  return isGood ? [...new Set(numbers as number[])] : undefined
}

function parsePort(text: string): number | undefined {
  return /^[1-9][0-9]{0,4}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined
}

function parseListener(text: string): Listener | undefined {
  const [, v6, name = v6, digits = ''] = /^(?:(?:\[([0-9a-f:.]+)\]|([0-9.]+)):)?([0-9]+)$/i.exec(text) ?? []
  const port = parsePort(digits)
  if (port === undefined) return undefined
  if (name === undefined) return { address: undefined, port }
  if (isIP(name) !== (v6 === undefined ? 4 : 6)) return undefined
  return { address: parseAddress(name), port }
}
