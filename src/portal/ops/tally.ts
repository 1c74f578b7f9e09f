// What this process counts, as plain numbers: a request costs about a hundred nanoseconds here, and whoever reads them
// does the rest. This is all that the portal's own path knows of metrics.
import type { VerdictKind } from '../../contract/verdict.ts'
import type { Exchange } from '../exchange.ts'
import {
  type AcknowledgementOutcome,
  eventOf,
  OUTCOMES,
  outcomeOf,
  PAYLOAD_REASONS,
  type PayloadReason,
  payloadReason,
} from '../request-event.ts'
import type { RequestEnd } from '../request-log.ts'

/** Upper bounds of a histogram's buckets, in seconds. */
export const BOUNDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const

export interface Durations {
  /** How many fell into each bucket, and last how many into none. */
  readonly counts: number[]
  /** Seconds. */
  sum: number
}

/** The limit that a request was rejected by. */
const SHED_REASONS = ['engine', 'database', 'client address', 'event loop', 'connections'] as const
type ShedReason = (typeof SHED_REASONS)[number]

interface RouteTally {
  readonly statuses: Map<number, number>
  readonly durations: Durations
}

export interface Tally {
  /** Requests that have come and are not answered yet. */
  inFlight: number
  /** Requests whose browser went away before its answer was out. */
  aborted: number
  readonly shed: Record<ShedReason, number>
  readonly routes: Map<string, RouteTally>
  readonly shown: Record<VerdictKind, number>
  readonly payloadRefusals: Record<PayloadReason, number>
  readonly acknowledgements: Record<AcknowledgementOutcome, number>
  /** How long the engine took to answer, or was waited for. */
  readonly engine: Durations
  /** How long an attempt took to be committed. */
  readonly record: Durations
}

export function createTally(): Tally {
  return {
    inFlight: 0,
    aborted: 0,
    shed: zeros(SHED_REASONS),
    routes: new Map(),
    shown: zeros(['block', 'warn', 'aup']),
    payloadRefusals: zeros(PAYLOAD_REASONS),
    acknowledgements: zeros(OUTCOMES),
    engine: noDurations(),
    record: noDurations(),
  }
}

/**
 * Counts a request that has ended.
 * @param route one of ours, or one name for all others
 */
export function countRequest(tally: Tally, exchange: Exchange, route: string, end: RequestEnd): void {
  const { durations } = countAnswer(tally, route, exchange.response.statusCode)
  observe(durations, exchange.endedAt - exchange.startedAt)
  if (end === 'aborted') tally.aborted++
  const { verdict, refusal, times } = exchange
  if (times !== undefined) {
    if (times.engine !== undefined) observe(tally.engine, times.engine[1] - times.engine[0])
    if (times.record !== undefined) observe(tally.record, times.record[1] - times.record[0])
  }
  const event = eventOf(exchange)
  if (event === 'verdict.shown' && verdict !== undefined) tally.shown[verdict.kind]++
  const reason = refusal && payloadReason(refusal)
  if (reason !== undefined) tally.payloadRefusals[reason]++
  const outcome = outcomeOf(exchange)
  if (outcome !== undefined) tally.acknowledgements[outcome]++
}

/** Counts an answer that is not timed. */
export function countAnswer({ routes }: Tally, route: string, status: number): RouteTally {
  let ofRoute = routes.get(route)
  if (ofRoute === undefined) {
    ofRoute = { statuses: new Map(), durations: noDurations() }
    routes.set(route, ofRoute)
  }
  ofRoute.statuses.set(status, (ofRoute.statuses.get(status) ?? 0) + 1)
  return ofRoute
}

function observe(durations: Durations, milliseconds: number): void {
  const seconds = milliseconds / 1000
  let bucket = 0
  while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] as number)) bucket++
  durations.counts[bucket] = (durations.counts[bucket] as number) + 1
  durations.sum += seconds
}

function noDurations(): Durations {
  return { counts: new Array(BOUNDS.length + 1).fill(0), sum: 0 }
}

function zeros<const Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>
}
