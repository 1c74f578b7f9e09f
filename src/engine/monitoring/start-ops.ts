// Starts the operations listener. Loaded only when it is turned on.
import { METRICS_CONTENT_TYPE } from '../../observability/metric-families.ts'
import { type OpsServer, startOpsServer } from '../../observability/ops-server.ts'
import { createMetrics } from './metrics.ts'
import { createReadiness, type ReadinessOptions } from './readiness.ts'
import type { Tally } from './tally.ts'

export interface OpsOptions extends ReadinessOptions {
  readonly listen: { readonly host: string; readonly port: number }
  readonly tally: Tally
}

/** @throws the system's error when it cannot listen */
export async function startOps({ listen, tally, ...options }: OpsOptions): Promise<OpsServer> {
  const readiness = createReadiness(options)
  const metrics = createMetrics({ ...options, tally, readiness })
  return await startOpsServer({ ...listen, readiness, metrics, metricsContentType: METRICS_CONTENT_TYPE })
}
