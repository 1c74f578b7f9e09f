// The operations listener: of a portal of one process, or of the primary for its workers. It is loaded only where it is
// wanted.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { CurrentCa } from '../../certificate/watch.ts'
import type { Config } from '../../config/config.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { createReachEngine } from '../engine-client/reach-engine.ts'
import { reportDelays } from './delay-report.ts'
import {
  type CountedSources,
  METRICS_CONTENT_TYPE,
  metricsOfProcess,
  metricsOfWorkers,
  type SeenSources,
  serveToPrimary,
} from './metrics.ts'
import { type OpsServer, startOpsServer } from './ops-server.ts'
import { createReadiness } from './readiness.ts'
import type { Tally } from './tally.ts'

/** What is looked at, for whoever asks how the portal is. */
interface Observed {
  readonly config: Config
  readonly ledger: Ledger
  readonly publishedCa: CurrentCa
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** The longest delay since the last call, in milliseconds; this process's unless given. */
  readonly eventLoopDelay?: () => number
}

const RESOLUTION_MILLISECONDS = 20

/** @throws the system's error when its port cannot be had */
export async function startOps({ tally, ...observed }: Observed & { readonly tally: Tally }): Promise<OpsServer> {
  const { config, ledger } = observed
  const sources = seenSources(observed)
  return await listen(config, sources, metricsOfProcess({ ...sources, ledger, tally, release: config.release }))
}

/** In a worker. */
export function reportToPrimary(sources: CountedSources): void {
  serveToPrimary(sources)
  reportDelays(measureEventLoop())
}

/**
 * In the primary.
 * @param observed `eventLoopDelay` is the workers'
 * @throws the system's error when its port cannot be had
 */
export async function startOpsOfWorkers(observed: Required<Observed>): Promise<OpsServer> {
  const sources = seenSources(observed)
  return await listen(observed.config, sources, metricsOfWorkers(sources))
}

async function listen({ ops }: Config, { readiness }: SeenSources, metrics: () => Promise<string>): Promise<OpsServer> {
  return await startOpsServer({ ...ops, readiness, metrics, metricsContentType: METRICS_CONTENT_TYPE })
}

function seenSources({
  config,
  ledger,
  publishedCa,
  clock,
  eventLoopDelay = measureEventLoop(),
}: Observed): SeenSources {
  const { engine, certificate } = config
  const reachEngine =
    engine.url &&
    createReachEngine({
      url: engine.url,
      caFile: engine.caFile,
      publishedCa: certificate.inspection ? certificate.path : undefined,
    })
  // Where nothing is inspected, no certificate is missed.
  const wantedCa = certificate.inspection ? publishedCa : undefined
  const readiness = createReadiness({ reachEngine, ledger, publishedCa: wantedCa, eventLoopDelay, clock })
  return { ledger, readiness, publishedCa: wantedCa, clock }
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
