// This process's counters, as plain numbers: about a hundred nanoseconds per request. Each scrape builds the metrics
// from them.
import type { VerdictKind } from '../../contract/verdict.ts'
import { emptyHistogram, type Histogram, observe } from '../../observability/histogram.ts'
import {
  ACKNOWLEDGEMENT_RESULTS,
  type AcknowledgementResult,
  auditOutcome,
  PAYLOAD_REASONS,
  type PayloadReason,
  payloadReason,
} from '../event.ts'
import type { EndedRequest } from '../http/server.ts'

/** Upper bounds of a histogram's buckets, in seconds. */
export const BOUNDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const

/** The limit that a request was rejected by. */
const SHED_REASONS = ['engine', 'client address', 'event loop'] as const
type ShedReason = (typeof SHED_REASONS)[number]

interface RouteTally {
  readonly statuses: Map<number, number>
  readonly durations: Histogram
}

export interface Tally {
  /** Requests without a complete response yet. */
  inFlight: number
  /** Requests whose browser disconnected before its response was written. */
  aborted: number
  readonly shed: Record<ShedReason, number>
  readonly routes: Map<string, RouteTally>
  readonly shown: Record<VerdictKind, number>
  readonly payloadRefusals: Record<PayloadReason, number>
  readonly acknowledgements: Record<AcknowledgementResult, number>
  /** How long the engine took to respond, or until the timeout. */
  readonly engine: Histogram
  /** How long an attempt took to be committed. */
  readonly record: Histogram
}

export function createTally(): Tally {
  return {
    inFlight: 0,
    aborted: 0,
    shed: zeros(SHED_REASONS),
    routes: new Map(),
    shown: zeros(['block', 'warn', 'aup']),
    payloadRefusals: zeros(PAYLOAD_REASONS),
    acknowledgements: zeros(ACKNOWLEDGEMENT_RESULTS),
    engine: emptyHistogram(BOUNDS),
    record: emptyHistogram(BOUNDS),
  }
}

/**
 * Counts a request that has ended.
 * @param route one of the portal's, or one name for all others
 */
export function countRequest(tally: Tally, ended: EndedRequest, route: string): void {
  const { exchange, event, status, endedAt, isAborted } = ended
  const { durations } = countResponse(tally, route, status)
  observe(durations, endedAt - exchange.receivedAt)
  if (isAborted) tally.aborted++
  if ('times' in event && event.times !== undefined) {
    const { engine, record } = event.times
    if (engine !== undefined) observe(tally.engine, engine)
    if (record !== undefined) observe(tally.record, record)
  }
  if (event.name === 'verdict.shown') tally.shown[event.verdict.kind]++
  if (event.name === 'payload.refused') tally.payloadRefusals[payloadReason(event.refusal)]++
  const outcome = auditOutcome(event)
  if (outcome !== undefined) tally.acknowledgements[outcome]++
}

function countResponse({ routes }: Tally, route: string, status: number): RouteTally {
  let ofRoute = routes.get(route)
  if (ofRoute === undefined) {
    ofRoute = { statuses: new Map(), durations: emptyHistogram(BOUNDS) }
    routes.set(route, ofRoute)
  }
  ofRoute.statuses.set(status, (ofRoute.statuses.get(status) ?? 0) + 1)
  return ofRoute
}

function zeros<const Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>
}
