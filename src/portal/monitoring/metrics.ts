// Prometheus metrics, built at each scrape from this process's counters, the readiness checks and the ledger.
import type { CurrentCa } from '../../certificate/watch.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { cacheResult } from '../../observability/cache-result.ts'
import { createRenderer, histogram, type MetricFamily, sample, samplesBy } from '../../observability/metric-families.ts'
import type { Config } from '../settings/config.ts'
import { CACHE_MS, type Readiness } from './readiness.ts'
import type { Tally } from './tally.ts'

export interface MetricsDependencies {
  readonly tally: Tally
  readonly release: Config['release']
  readonly ledger: Pick<Ledger, 'tally' | 'waiting' | 'durability'>
  readonly readiness: () => Promise<Readiness>
  readonly publishedCa: CurrentCa | undefined
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** Returns a function that renders the metrics as text. */
export function createMetrics(dependencies: MetricsDependencies): () => Promise<string> {
  return createRenderer([...counted(dependencies), ...checked(dependencies)])
}

/** Families that this process counts. */
function counted({ tally, ledger, release }: MetricsDependencies): readonly MetricFamily[] {
  return [
    {
      name: 'gateway_captive_build_info',
      help: 'Which release this is.',
      type: 'gauge',
      values: () => [sample(1, { version: release.version, release_type: release.type, node: process.version })],
    },
    {
      name: 'gateway_captive_requests_total',
      help: 'Requests by route and status.',
      type: 'counter',
      values: () =>
        [...tally.routes].flatMap(([route, { statuses }]) =>
          [...statuses].map(([status, count]) => sample(count, { route, status: String(status) })),
        ),
    },
    {
      name: 'gateway_captive_request_duration_seconds',
      help: 'From a request to its response, by route.',
      type: 'histogram',
      values: () =>
        [...tally.routes].flatMap(([route, { durations }]) =>
          histogram('gateway_captive_request_duration_seconds', durations, { route }),
        ),
    },
    {
      name: 'gateway_captive_requests_in_flight',
      help: 'Requests without a complete response yet.',
      type: 'gauge',
      values: () => [sample(tally.inFlight)],
    },
    {
      name: 'gateway_captive_requests_aborted_total',
      help: 'Requests whose browser disconnected before the response was written.',
      type: 'counter',
      values: () => [sample(tally.aborted)],
    },
    {
      name: 'gateway_captive_shed_total',
      help: 'Requests rejected by a limit, by limit.',
      type: 'counter',
      values: () => samplesBy(tally.shed, 'reason'),
    },
    {
      name: 'gateway_captive_verdicts_shown_total',
      help: 'Verdict pages shown, by kind of verdict.',
      type: 'counter',
      values: () => samplesBy(tally.shown, 'kind'),
    },
    {
      name: 'gateway_captive_payload_refusals_total',
      help: 'Verdict URLs and acknowledgements whose parameters or payload were refused, by reason.',
      type: 'counter',
      values: () => samplesBy(tally.payloadRefusals, 'reason'),
    },
    {
      name: 'gateway_captive_acknowledgements_total',
      help: 'Acknowledgements by outcome.',
      type: 'counter',
      values: () => samplesBy(tally.acknowledgements, 'outcome'),
    },
    {
      name: 'gateway_captive_engine_duration_seconds',
      help: 'From an acknowledgement sent to the engine to its response, or to the timeout.',
      type: 'histogram',
      values: () => histogram('gateway_captive_engine_duration_seconds', tally.engine),
    },
    {
      name: 'gateway_captive_record_duration_seconds',
      help: 'How long it took to commit an attempt before the request to the engine.',
      type: 'histogram',
      values: () => histogram('gateway_captive_record_duration_seconds', tally.record),
    },
    {
      name: 'gateway_captive_ledger_decided_total',
      help: 'Acceptances that were decided, by state.',
      type: 'counter',
      values() {
        const { accepted, refused } = ledger.tally
        return samplesBy({ accepted, refused }, 'state')
      },
    },
    {
      name: 'gateway_captive_ledger_write_failures_total',
      help: 'Failed database writes: attempts, engine responses, and those of the responses that were a 302.',
      type: 'counter',
      values: () => samplesBy({ ...ledger.tally.writeFailures }, 'kind'),
    },
  ]
}

/** Families that are read at each scrape. */
function checked({ ledger, readiness, publishedCa, clock }: MetricsDependencies): readonly MetricFamily[] {
  const { memoryBacked } = ledger.durability
  const countWaiting = cacheResult(CACHE_MS, clock, () => ledger.waiting())
  return [
    {
      name: 'gateway_captive_ledger_waiting',
      help: 'Acceptances without an outcome, of all replicas; unknown: those older than 60 s. Counted up to 100,000.',
      type: 'gauge',
      async values() {
        const waiting = await countWaiting()
        return waiting === undefined ? [] : samplesBy({ ...waiting }, 'state')
      },
    },
    {
      name: 'gateway_captive_ledger_memory_backed',
      help: '1 when the ledger is in memory, and acceptances are lost on restart.',
      type: 'gauge',
      values: () => [sample(memoryBacked ? 1 : 0)],
    },
    {
      name: 'gateway_captive_check',
      help: 'The checks of /readyz: 1 ok, 0 failing. Checks that are turned off are missing.',
      type: 'gauge',
      values: async () =>
        Object.entries((await readiness()).checks).flatMap(([check, { state }]) =>
          state === 'off' ? [] : [sample(state === 'ok' ? 1 : 0, { check })],
        ),
    },
    {
      name: 'gateway_captive_ca_not_after_seconds',
      help: 'When the published interception CA expires, in Unix seconds; next: of its successor.',
      type: 'gauge',
      values() {
        const published = publishedCa?.()
        if (published === undefined) return []
        const { certificate, next } = published
        const current = sample(certificate.notAfter / 1000, { certificate: 'current' })
        return next === undefined ? [current] : [current, sample(next.notAfter / 1000, { certificate: 'next' })]
      },
    },
  ]
}
