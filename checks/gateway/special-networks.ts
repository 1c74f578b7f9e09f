// IANA's registries of special-purpose addresses (RFC 6890), with multicast and the deprecated IPv4-compatible addresses: which
// of them the proxy refuses, and why it does not refuse the others.
import { BlockList, isIPv6 } from 'node:net'

export interface SpecialNetwork {
  readonly network: string
  /** Undefined: the proxy refuses it. */
  readonly openBecause?: string
}

const INSIDE = 'it may have sites of the organisation: [gateway] internal is for those'
const UNUSED = 'nothing is reachable there'
const GLOBAL = 'it is public, or leads to nothing but its own public service'

export const SPECIAL_NETWORKS: readonly SpecialNetwork[] = [
  { network: '0.0.0.0/8' },
  { network: '10.0.0.0/8', openBecause: INSIDE },
  { network: '100.64.0.0/10', openBecause: INSIDE },
  { network: '127.0.0.0/8' },
  { network: '169.254.0.0/16' },
  { network: '172.16.0.0/12', openBecause: INSIDE },
  { network: '192.0.0.0/24', openBecause: UNUSED },
  { network: '192.0.2.0/24', openBecause: UNUSED },
  { network: '192.31.196.0/24', openBecause: GLOBAL },
  { network: '192.52.193.0/24', openBecause: GLOBAL },
  { network: '192.88.99.0/24', openBecause: UNUSED },
  { network: '192.168.0.0/16', openBecause: INSIDE },
  { network: '192.175.48.0/24', openBecause: GLOBAL },
  { network: '198.18.0.0/15', openBecause: UNUSED },
  { network: '198.51.100.0/24', openBecause: UNUSED },
  { network: '203.0.113.0/24', openBecause: UNUSED },
  { network: '224.0.0.0/4' },
  { network: '240.0.0.0/4' },
  { network: '255.255.255.255/32' },
  { network: '::/128' },
  { network: '::1/128' },
  { network: '::/96' },
  { network: '64:ff9b::/96' },
  { network: '64:ff9b:1::/48' },
  { network: '100::/64', openBecause: UNUSED },
  { network: '2001::/23', openBecause: GLOBAL },
  { network: '2001:db8::/32', openBecause: UNUSED },
  { network: '2002::/16' },
  { network: '2620:4f:8000::/48', openBecause: GLOBAL },
  { network: '3fff::/20', openBecause: UNUSED },
  { network: '5f00::/16', openBecause: UNUSED },
  { network: 'fc00::/7', openBecause: INSIDE },
  { network: 'fe80::/10' },
  { network: 'ff00::/8' },
]

/** @returns whether the network contains the address */
export function contains(network: string, address: string): boolean {
  const [base = '', bits = ''] = network.split('/')
  if (isIPv6(base) !== isIPv6(address)) return false
  const family = isIPv6(base) ? 'ipv6' : 'ipv4'
  const list = new BlockList()
  list.addSubnet(base, Number(bits), family)
  return list.check(address, family)
}

/** @returns the network's first and last address */
export function endsOf(network: string): readonly string[] {
  const [base = '', bits = ''] = network.split('/')
  const [groupBits, radix, separator, count] = isIPv6(base) ? [16, 16, ':', 8] : [8, 10, '.', 4]
  const groups = isIPv6(base) ? groupsOf(base) : base.split('.').map(Number)
  const last = groups.map((group, index) => {
    const free = Math.min(groupBits, Math.max(0, groupBits * (index + 1) - Number(bits)))
    return group | (2 ** free - 1)
  })
  const written = (all: readonly number[]) => all.map((group) => group.toString(radix)).join(separator)
  return [groups, last].map((all) => written(all.slice(0, count)))
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16))
}
