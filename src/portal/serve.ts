// The portal in this process: the app over its ledger, a listener, and a stop that loses nothing.
import type { Logger } from 'pino'
import type { CurrentCa } from '../certificate/watch.ts'
import type { Config } from '../config/config.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createApp } from './app.ts'
import { createEngineClient } from './engine-client/ask-engine.ts'
import type { Tally } from './ops/tally.ts'
import type { PolicyDocuments } from './policy-document.ts'

/** A portal that listens, in this process or in several. */
export interface Serving {
  /** Where it can be reached. */
  readonly address: string
  /** Takes no more requests; resolves when what was under way is done. */
  close(): Promise<void>
}

export interface ServeSources {
  readonly config: Config
  readonly ledger: Ledger
  readonly documents: PolicyDocuments
  readonly publishedCa: CurrentCa
  readonly log: Logger
  readonly tally: Tally
}

// Beyond the engine's deadline nothing that is in flight is worth waiting for.
const DRAIN_EXTRA_SECONDS = 10

/** How long a stop may take, in milliseconds. */
export function drainMilliseconds({ engine }: Config): number {
  return (engine.timeoutSeconds + DRAIN_EXTRA_SECONDS) * 1000
}

/** The ledger is closed with it. From here on this process starts no other one. */
export async function serve({ config, ledger, log, ...sources }: ServeSources): Promise<Serving> {
  process.permission?.drop('child')
  const tracing = await startTracing(config, log)
  const app = createApp({
    ...sources,
    config,
    ledger,
    log,
    askEngine: engineClient(config),
    clock: Date.now,
    traceRequest: tracing?.traceRequest,
  })
  return {
    address: await app.listen(config.listen),
    async close() {
      const patience = setTimeout(() => app.server.closeAllConnections(), drainMilliseconds(config))
      await app.close()
      clearTimeout(patience)
      await ledger.close()
      await tracing?.close()
    },
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
  return url && (await import('./ops/tracing.ts')).startTracing(url, config, log)
}
