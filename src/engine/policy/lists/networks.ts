// The networks of a list, as hashes of their text: a host that is an address is looked up with each length of a prefix.
import { type AddressRange, parseAddressRange, prefixLength, rangeText } from '../../../network/address-range.ts'
import { KIND, type ListTable } from './list-table.ts'
import { type HashKey, hashSuffixes } from './name-hash.ts'

const pair = new Int32Array(2)

/** Collects the networks of a list. */
export function createNetworkCollector(key: HashKey, add: (low: number, high: number) => void) {
  const bits = { 1: new Set<number>(), 4: new Set<number>() }
  let count = 0
  return {
    add(network: AddressRange): void {
      count++
      const length = prefixLength(network)
      bits[network.words.length === 1 ? 1 : 4].add(length)
      const [low, high] = hashText(key, textOf(network, length))
      add(low ^ KIND.network, high)
    },
    found: () => ({ networks: count, ipv4Bits: [...bits[1]], ipv6Bits: [...bits[4]] }),
  }
}

/** @param host an address */
export function findNetwork(table: ListTable, key: HashKey, host: string): string | undefined {
  const { ipv4Bits, ipv6Bits } = table.counts
  for (const length of host.includes(':') ? ipv6Bits : ipv4Bits) {
    const network = parseAddressRange(`${host}/${length}`)
    if (network === undefined) continue
    const text = textOf(network, length)
    if (table.has(KIND.network, ...hashText(key, text))) return text
  }
  return undefined
}

/** With its length, also where that is the longest. */
function textOf(network: AddressRange, length: number): string {
  const text = rangeText(network)
  return text.includes('/') ? text : `${text}/${length}`
}

function hashText(key: HashKey, text: string): HashKey {
  const bytes = Buffer.from(text)
  hashSuffixes(key, bytes, 0, bytes.length, pair, true)
  return [pair[0] as number, pair[1] as number]
}
