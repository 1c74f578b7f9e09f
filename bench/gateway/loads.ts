// The loads on the proxies: each connection is to one host, as a browser's.

import { listedName } from '../engine/list.ts'
import { requestBytes } from '../requests.ts'

export type LoadName = (typeof LOADS)[number]['name']

export interface Load {
  readonly name: string
  readonly title: string
  /** By the number of a connection: whether its host is on the list. */
  readonly isListed: (connection: number) => boolean
  readonly isDecrypted: boolean
  /** Overrides the command line. */
  readonly connections?: number
}

/** The requests of a load, each with the connection on which it is sent: its index modulo the connections. */
export interface ProxyRequests {
  readonly requests: readonly Buffer[]
  /** The host of each connection. */
  readonly hosts: readonly string[]
  readonly isListed: readonly boolean[]
}

const NO_HOST = () => false
const EVERY_HOST = () => true
const EVERY_OTHER_HOST = (connection: number) => connection % 2 === 1

export const LOADS = [
  { name: 'allowed', title: 'allowed requests', isListed: NO_HOST, isDecrypted: false },
  { name: 'stopped', title: 'stopped requests', isListed: EVERY_HOST, isDecrypted: false },
  { name: 'mixed', title: 'every other request stopped', isListed: EVERY_OTHER_HOST, isDecrypted: false },
  { name: 'allowed-https', title: 'allowed requests, decrypted', isListed: NO_HOST, isDecrypted: true },
  { name: 'stopped-https', title: 'stopped requests, decrypted', isListed: EVERY_HOST, isDecrypted: true },
  {
    name: 'mixed-https',
    title: 'every other request stopped, decrypted',
    isListed: EVERY_OTHER_HOST,
    isDecrypted: true,
  },
  {
    name: 'one-connection',
    title: 'allowed requests, one connection',
    isListed: NO_HOST,
    isDecrypted: false,
    connections: 1,
  },
] as const satisfies readonly Load[]

const REQUESTS_PER_CONNECTION = 300

/** @param names the length of the list */
export function proxyRequests({ isListed, isDecrypted }: Load, connections: number, names: number): ProxyRequests {
  const indexes = indexesOf(connections)
  const hosts = Array.from({ length: connections }, (_, connection) =>
    isListed(connection) ? listedHost(connection, names) : allowedHost(connection),
  )
  const requests = indexes.map((index) => {
    const connection = index % connections
    // A tunnel has one host. Otherwise each stopped request is for a different name.
    const host = isListed(connection) && !isDecrypted ? listedHost(index, names) : (hosts[connection] as string)
    const path = `/section-${index % 97}/page?id=${index}&from=mail`
    return requestBytes({ target: isDecrypted ? path : `http://${host}${path}`, headers: { Host: host, ...HEADERS } })
  })
  return { requests, hosts, isListed: indexes.map((index) => isListed(index % connections)) }
}

/** Hosts that must resolve: those of connections, and those that only stopped requests have. */
export function hostsOfLoads(connections: number, names: number): Record<'ofConnections' | 'ofRequests', string[]> {
  const numbers = Array.from({ length: connections }, (_, connection) => connection)
  return {
    ofConnections: numbers.flatMap((number) => [allowedHost(number), listedHost(number, names)]),
    ofRequests: indexesOf(connections).map((index) => listedHost(index, names)),
  }
}

export function allowedHost(connection: number): string {
  return `www-${connection}.site.example`
}

/** Below a name of the list, as most hosts of blocked sites are. */
function listedHost(index: number, names: number): string {
  return `cdn.${listedName((index * 97) % names)}`
}

function indexesOf(connections: number): number[] {
  return Array.from({ length: connections * REQUESTS_PER_CONNECTION }, (_, index) => index)
}

const HEADERS = {
  'User-Agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept-Language': 'en-GB,en;q=0.9',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  'Sec-Fetch-Dest': 'document',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Site': 'cross-site',
}
