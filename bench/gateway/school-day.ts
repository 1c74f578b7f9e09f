// A school's day: of 1,000 requests, 950 are allowed, to 2,000 hosts by Zipf's law, 40 stopped, and 10 to a host for which the
// client has a session. Each visit is a new connection, with a full handshake, that is kept for all its requests.
import type { Visit } from '../../test/support/load/client.ts'
import { seededRandom } from '../statistics.ts'
import { allowedHost, listedHost, SESSION_HOST } from './hosts.ts'
import { type ProxyRequests, pageRequest } from './requests.ts'

const ALLOWED_HOSTS = 2000
const STOPPED_HOSTS = 100
/** Of each 1,000 requests. Advertisements and trackers, which are what is stopped most, get few requests at a time. */
const VISITS = [
  { kind: 'allowed', count: 95, requests: 10 },
  { kind: 'stopped', count: 20, requests: 2 },
  { kind: 'session', count: 1, requests: 10 },
] as const
const THOUSANDS = 30
const SEED = 35

/** Each run of a round begins with other visits than those of the round before. */
export const VISITS_PER_ROUND = VISITS.reduce((sum, { count }) => sum + count, 0)

/** @param names the length of the list */
export function schoolDay(names: number): ProxyRequests {
  const random = seededRandom(SEED)
  const [allowed, stopped] = [zipf(ALLOWED_HOSTS, random), zipf(STOPPED_HOSTS, random)]
  const kinds = VISITS.flatMap((visit) => Array.from({ length: visit.count }, () => visit))
  const planned = Array.from({ length: THOUSANDS }, () => shuffled(kinds, random)).flat()
  return requestsOf(
    planned.map(({ kind, requests }) => {
      const host =
        kind === 'allowed' ? allowedHost(allowed()) : kind === 'stopped' ? listedHost(stopped(), names) : SESSION_HOST
      return { host, requests, isListed: kind === 'stopped' }
    }),
  )
}

/** One request to each host of the day: afterwards the proxy has their certificates. */
export function everyHostOnce({ visits = [], isListed }: ProxyRequests): ProxyRequests {
  const hosts = new Map(visits.map(({ host, from }) => [host, isListed[from] as boolean]))
  return requestsOf([...hosts].map(([host, isListed]) => ({ host, requests: 1, isListed })))
}

export function schoolHosts(names: number): Record<'allowed' | 'stopped', readonly string[]> {
  return {
    allowed: [...Array.from({ length: ALLOWED_HOSTS }, (_, number) => allowedHost(number)), SESSION_HOST],
    stopped: Array.from({ length: STOPPED_HOSTS }, (_, number) => listedHost(number, names)),
  }
}

function requestsOf(
  planned: readonly { readonly host: string; readonly requests: number; readonly isListed: boolean }[],
): ProxyRequests {
  const requests: Buffer[] = []
  const isListed: boolean[] = []
  const visits: Visit[] = []
  for (const visit of planned) {
    visits.push({ host: visit.host, from: requests.length, requests: visit.requests })
    for (let sent = 0; sent < visit.requests; sent++) {
      requests.push(pageRequest(visit.host, requests.length, true))
      isListed.push(visit.isListed)
    }
  }
  return { requests, isListed, isDecrypted: true, hosts: [], visits }
}

/** @returns the place of the next host: place n is n + 1 times as rare as the first */
function zipf(hosts: number, random: () => number): () => number {
  let sum = 0
  const sums = Array.from({ length: hosts }, (_, place) => {
    sum += 1 / (place + 1)
    return sum
  })
  return () => {
    const drawn = random() * sum
    return sums.findIndex((upTo) => drawn < upTo)
  }
}

function shuffled<One>(all: readonly One[], random: () => number): One[] {
  const keyed = all.map((one) => ({ one, key: random() }))
  return keyed.toSorted((one, other) => one.key - other.key).map(({ one }) => one)
}
