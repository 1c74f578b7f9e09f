// What is local to this machine, so that nobody can bypass its firewall through the proxy; and how many connections it may have.
import { endianness, networkInterfaces } from 'node:os'
import { type AddressRange, parseAddressRange, rangeText } from '../network/address-range.ts'
import { textOrEmpty } from '../settings/file.ts'

export interface Machine {
  /** Addresses and networks that lead to this machine, and in a container to its host; without loopback and link-local ones. */
  readonly addresses: readonly AddressRange[]
  /** How many descriptors Squid may have. */
  readonly descriptors: number
}

/** Files of /proc/self by name; those that do not exist are empty. */
export type ProcFiles = Readonly<
  Record<'net/fib_trie' | 'net/if_inet6' | 'net/ipv6_route' | 'net/route' | 'limits', string>
>

const MAXIMUM_DESCRIPTORS = 65_536
/** Flag of a route that leads to this machine. */
const RTF_LOCAL = 0x80000000
/** Loopback, link-local and multicast. */
const DENIED_ANYWAY = /^(127\.|::1$|fe80:|ff)/
/** A route for every address has a rule that restricts it to marked packets, as for TPROXY. */
const EVERY_ADDRESS = /\/0$/

/** @throws {Error} if the sandbox denies both sources of the addresses: clients could reach this machine through the proxy */
export function readMachine(isInContainer: boolean): Machine {
  const proc: ProcFiles = {
    'net/fib_trie': readProc('net/fib_trie'),
    'net/if_inet6': readProc('net/if_inet6'),
    'net/ipv6_route': readProc('net/ipv6_route'),
    'net/route': readProc('net/route'),
    limits: readProc('limits'),
  }
  return machineOf(proc, interfaceAddresses(), isInContainer)
}

/** @returns undefined if this process may not open netlink sockets */
export function interfaceAddresses(): readonly string[] | undefined {
  try {
    return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address))
  } catch {
    return undefined
  }
}

/** @param interfaces addresses of the network interfaces; undefined if unknown. @throws {Error} as readMachine */
export function machineOf(proc: ProcFiles, interfaces: readonly string[] | undefined, isInContainer: boolean): Machine {
  if (interfaces === undefined && proc['net/fib_trie'] === '') {
    throw new Error("this machine's addresses are unknown: neither /proc/self/net nor a netlink socket can be used")
  }
  const texts = [
    ...localIpv4(proc['net/fib_trie']),
    ...rows(proc['net/if_inet6']).map(([address = '']) => ipv6(address)),
    ...localIpv6(proc['net/ipv6_route']),
    ...(interfaces ?? []),
    ...(isInContainer ? [...hostIpv4(proc['net/route']), ...hostIpv6(proc['net/ipv6_route'])] : []),
  ]
  const ranges = texts.map(parseAddressRange).filter((range) => range !== undefined)
  const byText = new Map(ranges.map((range) => [rangeText(range), range]))
  return {
    addresses: [...byText].flatMap(([text, range]) =>
      DENIED_ANYWAY.test(text) || EVERY_ADDRESS.test(text) ? [] : [range],
    ),
    descriptors: descriptorsOf(proc.limits),
  }
}

function readProc(name: keyof ProcFiles): string {
  return textOrEmpty(`/proc/self/${name}`, 'latin1')
}

/** Routes of type `local`: "|-- 192.0.2.1" comes before "/32 host LOCAL". */
function localIpv4(fibTrie: string): readonly string[] {
  let address = ''
  return rows(fibTrie).flatMap((words) => {
    if (words[0] === '|--') address = words[1] ?? ''
    return words.at(-1) === 'LOCAL' ? [`${address}${words[0]}`] : []
  })
}

/** Routes of type `local`, also to networks. */
function localIpv6(routes: string): readonly string[] {
  return rows(routes).flatMap(([network = '', prefix = '', , , , , , , flags = '']) =>
    (Number.parseInt(flags, 16) & RTF_LOCAL) === 0 ? [] : [`${ipv6(network)}/${Number.parseInt(prefix, 16)}`],
  )
}

/**
 * Where a container reaches its host: at its routers, and at the first address of each network. A network without a route to the
 * outside (`internal: true`) has no router, but Docker's and Podman's bridges still have that address.
 */
function hostIpv4(routes: string): readonly string[] {
  const [, ...entries] = rows(routes)
  return entries.flatMap(([, destination = '', gateway = '', , , , , mask = '']) => {
    if (!/^0*$/.test(gateway)) return [ipv4(gateway, 0)]
    return /^(0*|F*)$/.test(mask) ? [] : [ipv4(destination, 1)]
  })
}

function hostIpv6(routes: string): readonly string[] {
  return rows(routes).flatMap(([network = '', prefix = '', , , gateway = '', , , , , name]) => {
    if (name === 'lo') return []
    if (!/^0*$/.test(gateway)) return [ipv6(gateway)]
    return /^(00|80)/.test(prefix) ? [] : [ipv6(network.replace(/.$/, '1'))]
  })
}

/** @param hex a number in the byte order of the machine @param more to add to the last byte */
function ipv4(hex: string, more: number): string {
  const bytes = [...Buffer.from(hex, 'hex')]
  const [first, second, third, last = 0] = endianness() === 'LE' ? bytes.reverse() : bytes
  return `${first}.${second}.${third}.${last + more}`
}

/** @param hex 32 digits */
function ipv6(hex: string): string {
  return (hex.match(/..../g) ?? []).join(':')
}

function descriptorsOf(limits: string): number {
  const [, soft = ''] = /^Max open files +([0-9]+|unlimited)/m.exec(limits) ?? []
  return Math.min(Number(soft) || MAXIMUM_DESCRIPTORS, MAXIMUM_DESCRIPTORS)
}

function rows(text: string): readonly (readonly string[])[] {
  return text.split('\n').map((line) => line.trim().split(/\s+/))
}
