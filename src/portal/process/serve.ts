// The portal in this process: the app over its ledger, a listener, and a stop that loses nothing.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { CurrentCa } from '../../certificate/watch.ts'
import type { Config } from '../../config/config.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { createApp } from '../app.ts'
import type { Tally } from '../monitoring/tally.ts'
import type { PolicyDocuments } from '../pages/policy-document.ts'
import { createEngineClient } from '../relay/engine-client/acknowledge.ts'
import { capacityOf, openFileLimit } from './capacity.ts'

/** A portal that listens. */
export interface Serving {
  /** Where it can be reached. */
  readonly address: string
  /**
   * After SIGTERM what a terminator still sends is served for a while; after SIGINT, or when it is called again, nothing
   * more is. Resolves when what was under way is done.
   */
  close(signal: NodeJS.Signals): Promise<void>
}

export interface ServeDependencies {
  readonly config: Config
  readonly ledger: Ledger
  readonly documents: PolicyDocuments
  readonly publishedCa: CurrentCa
  readonly log: Logger
  readonly tally: Tally
}

// A terminator may be about to use a connection that it keeps, for four seconds, and to take this portal's name for its
// address for some. What comes within this time is served as ever.
const GRACE_SECONDS = 5
// Beyond the engine's deadline nothing that is in flight is worth waiting for.
const DRAIN_EXTRA_SECONDS = 10

/** How long a stop may take, in milliseconds. */
function drainMilliseconds({ engine }: Config): number {
  return (GRACE_SECONDS + engine.timeoutSeconds + DRAIN_EXTRA_SECONDS) * 1000
}

/** Closing it closes the ledger. */
export async function serve({ config, ledger, log, ...dependencies }: ServeDependencies): Promise<Serving> {
  const tracing = await startTracing(config, log)
  const capacity = capacityOf(openFileLimit())
  log.info({ capacity }, 'takes on at once')
  const app = createApp({
    ...dependencies,
    config,
    ledger,
    log,
    capacity,
    sendAcknowledgement: engineClient(config),
    clock: Date.now,
    traceRequest: tracing?.traceRequest,
  })
  const hurry = new AbortController()
  let closing: Promise<void> | undefined
  return {
    address: await app.listen(config.listen),
    close(signal) {
      if (signal !== 'SIGTERM' || closing !== undefined) hurry.abort()
      closing ??= stop()
      return closing
    },
  }

  async function stop(): Promise<void> {
    const graceEnds = sleep(GRACE_SECONDS * 1000, undefined, { signal: hurry.signal }).catch(() => {})
    const patience = setTimeout(() => app.server.closeAllConnections(), drainMilliseconds(config))
    await app.close(graceEnds)
    clearTimeout(patience)
    await ledger.close()
    await tracing?.close()
  }
}

function engineClient({ engine, certificate, release }: Config) {
  if (engine.url === undefined) return undefined
  return createEngineClient({
    ...engine,
    url: engine.url,
    publishedCa: certificate.inspection ? certificate.path : undefined,
    userAgent: `captive-portal/${release.version}`,
    clock: Date.now,
  })
}

/** The packages for it are not even loaded without a collector. */
async function startTracing(config: Config, log: Logger) {
  const { url } = config.tracing
  return url && (await import('../monitoring/tracing.ts')).startTracing(url, config, log)
}
