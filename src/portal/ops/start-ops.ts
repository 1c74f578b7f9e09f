// The operations listener of a portal of one process. It is loaded only where it is wanted.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { CurrentCa } from '../../certificate/watch.ts'
import type { Config } from '../../config/config.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { createReachEngine } from '../engine-client/reach-engine.ts'
import { createMetrics, METRICS_CONTENT_TYPE } from './metrics.ts'
import { type OpsServer, startOpsServer } from './ops-server.ts'
import { createReadiness } from './readiness.ts'
import type { Tally } from './tally.ts'

export interface OpsSources {
  readonly config: Config
  readonly ledger: Ledger
  readonly publishedCa: CurrentCa
  readonly tally: Tally
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly eventLoopDelay?: () => number
}

const RESOLUTION_MILLISECONDS = 20

/** @throws the system's error when its port cannot be had */
export async function startOps(sources: OpsSources): Promise<OpsServer> {
  const { config, ledger, tally, clock, eventLoopDelay = measureEventLoop() } = sources
  const { engine, certificate, ops, release } = config
  const publishedCa = certificate.inspection ? sources.publishedCa : undefined
  const reachEngine =
    engine.url &&
    createReachEngine({
      url: engine.url,
      caFile: engine.caFile,
      publishedCa: certificate.inspection ? certificate.path : undefined,
    })
  const readiness = createReadiness({ reachEngine, ledger, publishedCa, eventLoopDelay, clock })
  const registry = createMetrics({ tally, ledger, readiness, publishedCa, release, clock })
  return await startOpsServer({
    ...ops,
    readiness,
    metrics: () => registry.metrics(),
    metricsContentType: METRICS_CONTENT_TYPE,
  })
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
