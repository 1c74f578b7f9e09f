// How much a site needs: a formula over what one portal was measured to take. docs/capacity.md explains each term, and
// docs/performance.md has the measurements.

/** What a site knows, or guesses, of itself. */
export interface Site {
  readonly visitors: number
  /** In the busiest hour, of one visitor; with the sub-resources of pages. */
  readonly verdictsPerHour: number
  /** Of the verdicts: images, scripts and frames, which get a short answer. From 0 to 1. */
  readonly subresourceShare: number
  /** Policies that one visitor accepts. */
  readonly acknowledgementsPerDay: number
  /** How much more the busiest minute brings than the busiest hour's average. */
  readonly burst: number
  /** For how long acceptances are kept. */
  readonly retentionDays: number
}

/** What one of each takes: measured, or reckoned from measurements; docs/capacity.md says which. */
export const MEASURED = {
  /** CPU seconds of the portal for a page, its log line included. */
  pageSeconds: 110e-6,
  /** The same for a sub-resource: all but the page itself. */
  subresourceSeconds: 80e-6,
  /** CPU seconds of the portal for an acknowledgement: two transactions, and a TLS connection to the engine. */
  acknowledgementSeconds: 6e-3,
  /** CPU seconds of the terminator for a page: half a full handshake, and the relay. */
  terminatedSeconds: 500e-6,
  /** The same for a sub-resource, over a connection that is there. */
  relayedSeconds: 100e-6,
  pageBytes: 12_500,
  subresourceBytes: 1_500,
  /** Of one portal under load. */
  portalMegabytes: 210,
  /** Of an acceptance with one attempt, in tables and indexes, with the room that changed rows leave. */
  acceptanceBytes: 1_150,
  connectionsPerReplica: 10,
} as const

/** Of the busiest hour's acknowledgements in a day's: two in ten. */
const DAY_IN_BUSIEST_HOUR = 0.2
/** A core is taken to be full at this share, so that a replica may die in the busiest minute. */
const FULL = 0.5
const LEAST_REPLICAS = 3

/** What a plain installation has: the command names what is used up first. */
const LIMITS = {
  /** Three replicas, one core each. */
  'the three replicas of the shipped manifests': LEAST_REPLICAS,
  /** What PostgreSQL allows unless told. */
  'the 100 connections of PostgreSQL as it comes': 100,
  /** Two for an acknowledgement; one disk of a server, a write of 1 ms, commits that share writes. */
  'the 2,000 durable commits a second of one disk': 2_000,
  'a network of 1 Gbit/s': 1_000,
  'a disk of 500 GB for the ledger': 500,
} as const

export interface Capacity {
  /** In the busiest minute, per second. */
  readonly pages: number
  readonly subresources: number
  readonly acknowledgements: number
  /** Cores, kept at half of what they can. */
  readonly portalCores: number
  readonly terminatorCores: number
  /** One core each, and one more than needed. */
  readonly replicas: number
  readonly memoryMegabytes: number
  readonly connections: number
  /** Per second. */
  readonly commits: number
  readonly megabitsPerSecond: number
  readonly acceptances: number
  readonly ledgerGigabytes: number
  /** How much of each limit is used; 1 is all of it. The fullest first. */
  readonly used: readonly { readonly limit: keyof typeof LIMITS; readonly share: number }[]
}

export function capacityFor(site: Site): Capacity {
  const { visitors, verdictsPerHour, subresourceShare, acknowledgementsPerDay, burst, retentionDays } = site
  const verdicts = (visitors * verdictsPerHour * burst) / 3600
  const subresources = verdicts * subresourceShare
  const pages = verdicts - subresources
  const acknowledgements = (visitors * acknowledgementsPerDay * DAY_IN_BUSIEST_HOUR * burst) / 3600

  const portalCores =
    (pages * MEASURED.pageSeconds +
      subresources * MEASURED.subresourceSeconds +
      acknowledgements * MEASURED.acknowledgementSeconds) /
    FULL
  const terminatorCores =
    ((pages + acknowledgements) * MEASURED.terminatedSeconds + subresources * MEASURED.relayedSeconds) / FULL
  const replicas = Math.max(LEAST_REPLICAS, Math.ceil(portalCores) + 1)
  const connections = replicas * MEASURED.connectionsPerReplica
  const commits = acknowledgements * 2
  const bytesPerSecond = pages * MEASURED.pageBytes + subresources * MEASURED.subresourceBytes
  const megabitsPerSecond = (bytesPerSecond * 8) / 1e6
  const acceptances = visitors * acknowledgementsPerDay * retentionDays
  const ledgerGigabytes = (acceptances * MEASURED.acceptanceBytes) / 1e9

  const demand: Record<keyof typeof LIMITS, number> = {
    'the three replicas of the shipped manifests': portalCores,
    'the 100 connections of PostgreSQL as it comes': connections,
    'the 2,000 durable commits a second of one disk': commits,
    'a network of 1 Gbit/s': megabitsPerSecond,
    'a disk of 500 GB for the ledger': ledgerGigabytes,
  }
  const names = Object.keys(LIMITS) as (keyof typeof LIMITS)[]
  return {
    pages,
    subresources,
    acknowledgements,
    portalCores,
    terminatorCores,
    replicas,
    memoryMegabytes: replicas * MEASURED.portalMegabytes,
    connections,
    commits,
    megabitsPerSecond,
    acceptances,
    ledgerGigabytes,
    used: names.map((limit) => ({ limit, share: demand[limit] / LIMITS[limit] })).sort((a, b) => b.share - a.share),
  }
}
