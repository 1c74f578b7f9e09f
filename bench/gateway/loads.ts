// The loads on the proxies. Except on a school's day, each connection is to one host and is kept.
import { allowedHost, listedHost } from './hosts.ts'
import { type ProxyRequests, pageRequest } from './requests.ts'
import { schoolDay, schoolHosts } from './school-day.ts'

export type LoadName = (typeof LOADS)[number]['name']

export interface Load {
  readonly name: string
  readonly title: string
  /** Of one run, as a share of the command line's; 1 by default. */
  readonly length?: number
  /** Whether it has a target: it is measured in every round. */
  readonly isJudged?: boolean
  /** Overrides the command line. */
  readonly connections?: number
  /** Whether a proxy without a list is measured, too: it allows everything. */
  readonly isForAll?: boolean
  /** @param names the length of the list */
  readonly requests: (connections: number, names: number) => ProxyRequests
}

/** By the number of a connection: whether its host is on the list. */
type IsListed = (connection: number) => boolean

const NO_HOST: IsListed = () => false
const EVERY_HOST: IsListed = () => true
const EVERY_OTHER_HOST: IsListed = (connection) => connection % 2 === 1
const REQUESTS_PER_CONNECTION = 300
const ONE_CONNECTION = { connections: 1, length: 0.5 }

export const LOADS = [
  {
    name: 'allowed-https',
    title: 'allowed requests, decrypted',
    isJudged: true,
    isForAll: true,
    requests: keptConnections(NO_HOST, true),
  },
  {
    name: 'school-day',
    title: "a school's day, decrypted",
    length: 1.5,
    isJudged: true,
    isForAll: true,
    requests: (_connections, names) => schoolDay(names),
  },
  {
    name: 'stopped-https',
    title: 'stopped requests, decrypted',
    isJudged: true,
    requests: keptConnections(EVERY_HOST, true),
  },
  {
    name: 'mixed-https',
    title: 'every other request stopped, decrypted',
    requests: keptConnections(EVERY_OTHER_HOST, true),
  },
  {
    name: 'one-connection-https',
    title: 'allowed requests, decrypted, one connection',
    ...ONE_CONNECTION,
    isJudged: true,
    isForAll: true,
    requests: keptConnections(NO_HOST, true),
  },
  { name: 'allowed', title: 'allowed requests', isForAll: true, requests: keptConnections(NO_HOST, false) },
  { name: 'stopped', title: 'stopped requests', requests: keptConnections(EVERY_HOST, false) },
  {
    name: 'mixed',
    title: 'every other request stopped',
    requests: keptConnections(EVERY_OTHER_HOST, false),
  },
  {
    name: 'one-connection',
    title: 'allowed requests, one connection',
    ...ONE_CONNECTION,
    isForAll: true,
    requests: keptConnections(NO_HOST, false),
  },
] as const satisfies readonly Load[]

/** Hosts that must resolve: those of connections, and those that only stopped plain requests have. */
export function hostsOfLoads(
  connections: number,
  names: number,
): Record<'allowed' | 'stopped' | 'ofRequests', string[]> {
  const numbers = Array.from({ length: connections }, (_, connection) => connection)
  const { allowed, stopped } = schoolHosts(names)
  const union = (...hosts: readonly (readonly string[])[]) => [...new Set(hosts.flat())]
  return {
    allowed: union(numbers.map(allowedHost), allowed),
    stopped: union(
      numbers.map((number) => listedHost(number, names)),
      stopped,
    ),
    ofRequests: indexesOf(connections).map((index) => listedHost(index, names)),
  }
}

function keptConnections(isListed: IsListed, isDecrypted: boolean): Load['requests'] {
  return (connections, names) => {
    const indexes = indexesOf(connections)
    const hosts = Array.from({ length: connections }, (_, connection) =>
      isListed(connection) ? listedHost(connection, names) : allowedHost(connection),
    )
    const requests = indexes.map((index) => {
      const connection = index % connections
      // A tunnel has one host. Otherwise each stopped request is for a different name.
      const host = isListed(connection) && !isDecrypted ? listedHost(index, names) : (hosts[connection] as string)
      return pageRequest(host, index, isDecrypted)
    })
    return { requests, hosts, isDecrypted, isListed: indexes.map((index) => isListed(index % connections)) }
  }
}

function indexesOf(connections: number): number[] {
  return Array.from({ length: connections * REQUESTS_PER_CONNECTION }, (_, index) => index)
}
