// Starts the operations listener. Loaded only when it is turned on.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { CurrentCa } from '../../certificate/watch.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { METRICS_CONTENT_TYPE } from '../../observability/metric-families.ts'
import { type OpsServer, startOpsServer } from '../../observability/ops-server.ts'
import type { ReadEngineHealth } from '../engine-client/health.ts'
import type { Config } from '../settings/config.ts'
import { createMetrics } from './metrics.ts'
import { createReadiness } from './readiness.ts'
import type { Tally } from './tally.ts'

export interface OpsDependencies {
  readonly config: Config
  readonly ledger: Ledger
  readonly publishedCa: CurrentCa
  readonly tally: Tally
  /** Undefined when acknowledgements are turned off. */
  readonly readEngineHealth: ReadEngineHealth | undefined
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** The longest delay since the last call, in milliseconds; this process's by default. */
  readonly eventLoopDelay?: () => number
}

const RESOLUTION_MS = 20

/** @throws the system's error when it cannot listen */
export async function startOps(dependencies: OpsDependencies): Promise<OpsServer> {
  const { config, ledger, publishedCa, tally, readEngineHealth, clock } = dependencies
  const { eventLoopDelay = measureEventLoop() } = dependencies
  const { certificate, ops, payload, release } = config
  // Without inspection there is no certificate to check.
  const expectedCa = certificate.inspection ? publishedCa : undefined
  const keyIds = [...payload.keyring.opening.keys()]
  const checked = { readEngineHealth, keyIds, ledger, publishedCa: expectedCa }
  const readiness = createReadiness({ ...checked, eventLoopDelay, clock })
  const metrics = createMetrics({ tally, release, ledger, readiness, publishedCa: expectedCa, clock })
  return await startOpsServer({ ...ops, readiness, metrics, metricsContentType: METRICS_CONTENT_TYPE })
}

/** The longest delay since the last call, in milliseconds. */
function measureEventLoop(): () => number {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  return () => {
    const longest = Math.max(0, delays.max / 1e6 - RESOLUTION_MS)
    delays.reset()
    return longest
  }
}
