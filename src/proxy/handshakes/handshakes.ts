// Connections that clients give up when the proxy decrypts them, by host: of apps that accept only their own certificate. In memory
// only, bounded, and without addresses: a client is a keyed hash.
import { hash, randomBytes } from 'node:crypto'
import type { Handshake } from './handshake-line.ts'

/** Milliseconds since the Unix epoch. */
export type Clock = () => number

/** As gatewayctl reads it: src/gatewayctl/proxy/handshakes.ts. */
export interface HandshakeReport {
  /** ISO 8601: when counting began, at most a day before `at`. */
  readonly since: string
  readonly at: string
  /** Clients that gave up connections and sent no request in any: the CA is probably not installed on them. */
  readonly untrusting: number
  /** Hosts to which clients gave up connections; those that no client can use first. */
  readonly hosts: readonly HostReport[]
}

interface HostReport {
  readonly host: string
  /** Clients that broke off the handshake. */
  readonly broke_off: number
  /** Clients that completed it, and sent no request: some apps check the certificate only then. */
  readonly silent: number
  /** Of both, those that send requests to other hosts: they trust the proxy's CA. */
  readonly trusting: number
  /** Whether a client sent a request. */
  readonly used: boolean
  /** ISO 8601: the last connection that was given up. */
  readonly last_at: string
}

export interface Handshakes {
  record(handshake: Handshake): void
  report(): HandshakeReport
}

/** What is older is forgotten. */
const KEPT_MS = 86_400_000
/** A client that has sent nothing for so long after a handshake counts as silent. */
const SILENT_MS = 30_000
/** With all of them, the counts take about 15 MB; what is oldest is forgotten first. */
const LIMITS = { hosts: 1000, clientsPerHost: 100, clients: 20_000, usedHosts: 20_000 }
const REPORTED_HOSTS = 200

/** Those that gave up connections to a host. */
type Clients = Map<string, { readonly at: number; readonly isBrokenOff: boolean }>

export function createHandshakes(clock: Clock, limits = LIMITS): Handshakes {
  const key = randomBytes(32).toString('base64')
  const start = clock()
  const givenUp = new Map<string, Clients>()
  /** When a client, and when any client of a host, last sent a request. */
  const usedByClient = new Map<string, number>()
  const usedOfHost = new Map<string, number>()
  const isRecent = (at: number | undefined, now: number) => at !== undefined && at > now - KEPT_MS

  function use(host: string, client: string, now: number): void {
    remember(usedByClient, client, now, limits.clients)
    remember(usedOfHost, host, now, limits.usedHosts)
    const clients = givenUp.get(host)
    clients?.delete(client)
    if (clients?.size === 0) givenUp.delete(host)
  }

  /** Forgets what is too old. @param untrusting gets clients that send no requests */
  function reportHost(host: string, now: number, untrusting: Set<string>): HostReport | undefined {
    const clients: Clients = givenUp.get(host) ?? new Map()
    let [brokeOff, silent, trusting, last] = [0, 0, 0, 0]
    for (const [client, { at, isBrokenOff }] of clients) {
      if (!isRecent(at, now)) {
        clients.delete(client)
        continue
      }
      if (!isBrokenOff && at > now - SILENT_MS) continue
      if (isBrokenOff) brokeOff++
      else silent++
      if (isRecent(usedByClient.get(client), now)) trusting++
      else if (isBrokenOff) untrusting.add(client)
      last = Math.max(last, at)
    }
    if (clients.size === 0) givenUp.delete(host)
    if (brokeOff + silent === 0) return undefined
    const used = isRecent(usedOfHost.get(host), now)
    return { host, broke_off: brokeOff, silent, trusting, used, last_at: new Date(last).toISOString() }
  }

  return {
    record({ host, client: address, outcome }) {
      const now = clock()
      // Browsers open connections ahead of time.
      if (outcome === 'completed' && isRecent(usedOfHost.get(host), now)) return
      const client = hash('sha256', `${key} ${address}`, 'base64url').slice(0, 16)
      if (outcome === 'used') return use(host, client, now)
      const clients: Clients = givenUp.get(host) ?? new Map()
      remember(clients, client, { at: now, isBrokenOff: outcome === 'broken-off' }, limits.clientsPerHost)
      remember(givenUp, host, clients, limits.hosts)
    },
    report() {
      const now = clock()
      const untrusting = new Set<string>()
      const hosts = [...givenUp.keys()].flatMap((host) => reportHost(host, now, untrusting) ?? [])
      return {
        since: new Date(Math.max(start, now - KEPT_MS)).toISOString(),
        at: new Date(now).toISOString(),
        untrusting: untrusting.size,
        hosts: hosts.toSorted(byInterest).slice(0, REPORTED_HOSTS),
      }
    },
  }
}

function byInterest(one: HostReport, other: HostReport): number {
  return (
    Number(one.used) - Number(other.used) ||
    other.trusting - one.trusting ||
    other.broke_off - one.broke_off ||
    (one.host < other.host ? -1 : 1)
  )
}

/** Sets the newest entry of a map that holds at most `capacity`; a full one loses its oldest tenth: finding the oldest takes long. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value, capacity: number): void {
  map.delete(key)
  if (map.size >= capacity) {
    let excess = Math.ceil(capacity / 10)
    for (const oldest of map.keys()) {
      map.delete(oldest)
      if (--excess === 0) break
    }
  }
  map.set(key, value)
}
