// The operations listener: of a portal of one process, or of the primary for its workers. It is loaded only where it is
// wanted.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { CurrentCa } from '../../certificate/watch.ts'
import type { Config } from '../../config/config.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { createReachEngine } from '../engine-client/reach-engine.ts'
import { reportDelays } from './delay-report.ts'
import {
  createMetrics,
  METRICS_CONTENT_TYPE,
  type MetricsSources,
  metricsOfWorkers,
  serveToPrimary,
} from './metrics.ts'
import { type OpsServer, startOpsServer } from './ops-server.ts'
import { createReadiness, type Readiness } from './readiness.ts'
import type { Tally } from './tally.ts'

interface Observed {
  readonly config: Config
  readonly ledger: Ledger
  readonly publishedCa: CurrentCa
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly eventLoopDelay?: () => number
}

export interface OpsSources extends Observed {
  readonly tally: Tally
}

const RESOLUTION_MILLISECONDS = 20

/** @throws the system's error when its port cannot be had */
export async function startOps(sources: OpsSources): Promise<OpsServer> {
  const readiness = readinessOf(sources)
  const registry = createMetrics(metricsSources(sources, readiness))
  return await listen(sources.config, readiness, () => registry.metrics())
}

/** In a worker. */
export function reportToPrimary(sources: OpsSources): void {
  serveToPrimary(createMetrics(metricsSources(sources, readinessOf(sources))))
  reportDelays(measureEventLoop())
}

/**
 * In the primary.
 * @param observed `eventLoopDelay` is the workers'
 * @throws the system's error when its port cannot be had
 */
export async function startOpsOfWorkers(observed: Required<Observed>): Promise<OpsServer> {
  return await listen(observed.config, readinessOf(observed), metricsOfWorkers())
}

async function listen(
  { ops }: Config,
  readiness: () => Promise<Readiness>,
  metrics: () => Promise<string>,
): Promise<OpsServer> {
  return await startOpsServer({ ...ops, readiness, metrics, metricsContentType: METRICS_CONTENT_TYPE })
}

function readinessOf({ config, ledger, publishedCa, clock, eventLoopDelay = measureEventLoop() }: Observed) {
  const { engine, certificate } = config
  const reachEngine =
    engine.url &&
    createReachEngine({
      url: engine.url,
      caFile: engine.caFile,
      publishedCa: certificate.inspection ? certificate.path : undefined,
    })
  return createReadiness({ reachEngine, ledger, publishedCa: wantedCa(config, publishedCa), eventLoopDelay, clock })
}

function metricsSources(
  { config, ledger, publishedCa, tally, clock }: OpsSources,
  readiness: () => Promise<Readiness>,
): MetricsSources {
  const { release } = config
  return { tally, ledger, readiness, publishedCa: wantedCa(config, publishedCa), release, clock }
}

/** Undefined where nothing is inspected, and none is missed. */
function wantedCa({ certificate }: Config, publishedCa: CurrentCa): CurrentCa | undefined {
  return certificate.inspection ? publishedCa : undefined
}

/** The longest delay since the last call, in milliseconds. */
function measureEventLoop(): () => number {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MILLISECONDS })
  delays.enable()
  return () => {
    const longest = Math.max(0, delays.max / 1e6 - RESOLUTION_MILLISECONDS)
    delays.reset()
    return longest
  }
}
