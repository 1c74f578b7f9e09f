// What to write instead of an entry that names no host, or none that a request could have. Made of what the URL parser reads,
// so that no password in a URL is repeated.
import { isIPv4, isIPv6 } from 'node:net'
import { rangeText } from './address-range.ts'
import { hasPort, parseHostPattern, parseWholeHost } from './host-pattern.ts'

/** For an entry of `match`, worded as a rule; undefined where the rule of its shape says it all. */
export function matchAdvice(text: string): string | undefined {
  const url = URL.parse(text)
  if (SCHEME.test(text)) return advice('must have no scheme', `${url?.hostname}${prefixOf(url?.pathname ?? '')}`)
  const [hostText = '', ...segments] = text.split('/')
  if (hostText.includes('*') && parseHostPattern(hostText) === undefined) return asteriskAdvice(hostText)
  const network = networkAdvice(hostText.replace(/^\[(.*)\]$/, '$1'), segments[0] ?? '')
  if (network !== undefined) return network
  if (/[?#]/.test(text)) return advice('must have no query and no fragment', text.replace(/[?#].*$/s, ''))
  if (text.includes('*')) return advice(ASTERISK_IN_PATH, `${hostText}${prefixOf(text.slice(hostText.length))}`)
  return abbreviationAdvice(hostText)
}

/** For an entry that is a whole host: of `exempt` and `tenants`, and of a permission. */
export function wholeHostAdvice(text: string): string | undefined {
  if (SCHEME.test(text)) return advice('must be a host without scheme and path', `${URL.parse(text)?.hostname}`)
  const [hostText = ''] = text.split('/')
  const isNetwork = parseHostPattern(text)?.network !== undefined || /^[0-9.]+\*[0-9.*]*$/.test(hostText)
  if (isNetwork) return 'must be a host: each address of a network is an entry'
  if (hostText.startsWith('*.'))
    return advice('must have no *: a host is meant with all hosts below it', hostText.slice(1))
  if (text.includes('/')) return advice('must have no path: the whole host is meant', withoutPort(hostText))
  if (hasPort(text)) return advice('must have no port: all ports are meant', withoutPort(hostText))
  return abbreviationAdvice(hostText) && 'must be a host: an address has four decimal numbers'
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
const ASTERISK_IN_PATH = 'must have * in a path only as /* at its end, and %2A for the character'

function advice(rule: string, instead: string): string | undefined {
  return parseHostPattern(instead) === undefined ? undefined : `${rule}; write "${instead}"`
}

/** Of a path, the segments before its first `*`; one at its end alone is meant as a prefix. */
function prefixOf(path: string): string {
  const prefix = /^[^*]*\*?$/.test(path) ? path.replace('*', '') : path.replace(/[^/]*\*.*$/s, '')
  return prefix.replace(/\/+$/, '')
}

function asteriskAdvice(host: string): string | undefined {
  const bare = host.replace(/:[0-9*]*$/, '')
  if (bare !== host) return advice('must have no port, or a number', bare)
  const rule = 'must have * in a host only as *. at its beginning'
  const octets = host.split('.').filter((part) => part !== '*')
  const network = /^([0-9]+\.)+\*(\.\*)*$/.test(host) ? networkOf(octets, rule) : undefined
  if (network !== undefined) return network
  const rest = host.slice(host.lastIndexOf('*') + 1).replace(/^\./, '')
  const isName = rest.includes('.') && parseWholeHost(`.${rest}`) !== undefined
  return `${rule}; write ${isName ? `".${rest}" for all hosts below a name` : 'each host, such as "casino.example"'}`
}

/** For an address with a number or a mask that is no prefix length, or with a path behind it. */
function networkAdvice(address: string, length: string): string | undefined {
  const most = isIPv4(address) ? 32 : 128
  if ((most === 128 && !isIPv6(address)) || !/^[0-9]{1,3}$|^[0-9.]{7,15}$/.test(length)) return undefined
  const ones = isIPv4(length) ? /^(1*)0*$/.exec(bitsOf(length))?.[1]?.length : undefined
  const network = ones === undefined ? undefined : parseHostPattern(`${address}/${ones}`)?.network
  if (network !== undefined) return `must have a prefix length instead of a mask; write "${rangeText(network)}"`
  return `must have a prefix length from 0 to ${most} behind the slash of a network, and nothing behind that`
}

function bitsOf(mask: string): string {
  const bytes = mask.split('.').map((byte) => Number(byte).toString(2).padStart(8, '0'))
  return bytes.join('')
}

/** For what only a URL parser reads as an address: `192.168.1`, `010.0.0.1`. */
function abbreviationAdvice(hostText: string): string | undefined {
  const host = withoutPort(hostText).replace(/\.$/, '')
  const read = URL.parse(`http://${host}/`)?.hostname ?? ''
  if (!/^[0-9a-fx.]+$/i.test(host) || !isIPv4(read) || read === host) return undefined
  const rule = 'must be an address of four decimal numbers, or a network'
  return networkOf(host.split('.'), rule) ?? `${rule}; write "${read}" for what browsers read`
}

/** From the beginning of an address. */
function networkOf(octets: readonly string[], rule: string): string | undefined {
  if (octets.length > 3) return undefined
  const address = [...octets, ...Array<string>(4 - octets.length).fill('0')].join('.')
  return advice(rule, `${address}/${octets.length * 8}`)
}

function withoutPort(host: string): string {
  return hasPort(host) ? host.replace(/:[^:\]]*$/, '') : host
}
