// The clients of a source, as the policy's `clients`.
import { isIPv4 } from 'node:net'
import { addressWords, parseAddressRange, rangeText } from '../../../network/address-range.ts'

const IPV4 = /[0-9]{1,3}(?:\.[0-9]{1,3}){3}/.source
const ENTRY = new RegExp(`(${IPV4})(?:\\s*/\\s*(${IPV4}|[0-9]+)|\\s*-\\s*(${IPV4}))?(?=\\s|$)|(\\S+)`, 'g')

export interface ReadAddresses {
  readonly ranges: readonly string[]
  /** What is no address, network or range; or one that squidGuard compares with no client. */
  readonly faults: readonly string[]
}

/** Reads addresses, networks with a length or a mask, and ranges, such as `10.0.0.1-10.0.0.9`. */
export function parseAddresses(text: string): ReadAddresses {
  const ranges: string[] = []
  const faults: string[] = []
  for (const [entry, first, network, last, other] of text.matchAll(ENTRY)) {
    const read = other === undefined ? readIpv4(first ?? '', network, last) : readOther(other)
    if (read === undefined) faults.push(entry)
    else ranges.push(...read)
  }
  return { ranges, faults }
}

function readIpv4(first: string, network: string | undefined, last: string | undefined): string[] | undefined {
  if (!isIPv4(first)) return undefined
  const start = wordOf(first)
  if (last !== undefined) return isIPv4(last) && wordOf(last) >= start ? networksOf(start, wordOf(last)) : undefined
  if (network === undefined) return [first]
  if (!network.includes('.')) return readOther(`${first}/${network}`)
  // squidGuard compares what the mask leaves of the client with the whole address.
  const mask = isIPv4(network) ? wordOf(network) : -1
  const length = Math.clz32(~mask)
  const isMask = mask === (length === 0 ? 0 : (0xffffffff << (32 - length)) >>> 0)
  return isMask && (start & mask) >>> 0 === start ? [`${first}/${length}`] : undefined
}

/** An IPv6 address or network, or an IPv4 network. */
function readOther(text: string): string[] | undefined {
  const range = parseAddressRange(text)
  return range && [rangeText(range)]
}

/** The fewest networks that make up a range. */
function networksOf(first: number, last: number): string[] {
  const networks: string[] = []
  for (let start = first; start <= last; ) {
    let length = 32
    while (length > 0) {
      const size = 2 ** (33 - length)
      if (start % size !== 0 || start + size - 1 > last) break
      length--
    }
    networks.push(length === 32 ? textOf(start) : `${textOf(start)}/${length}`)
    start += 2 ** (32 - length)
  }
  return networks
}

const wordOf = (address: string): number => addressWords(address)[0] ?? 0
const textOf = (word: number): string => [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255].join('.')
