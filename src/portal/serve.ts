// Runs the app in this process: listens, and stops without losing requests or acceptances.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { PolicyTexts } from '../aup/policy-texts.ts'
import type { CurrentCa } from '../certificate/watch.ts'
import type { EngineRecords } from '../contract/engine-health.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { appendHeads } from './acknowledgement/append-heads.ts'
import { createApp } from './app.ts'
import { capacityOf, openFileLimit } from './capacity.ts'
import { createAcknowledgementClient } from './engine-client/clients.ts'
import type { Tally } from './monitoring/tally.ts'
import type { Catalogues } from './page/i18n/catalogue.ts'
import type { Config } from './settings/config.ts'
import type { PolicyDocuments } from './verdict/policy-document.ts'

/** A portal that is listening. */
export interface Serving {
  /** Its address. */
  readonly address: string
  /**
   * After SIGTERM, new requests are still served for a grace period; SIGINT or a second call ends it. Resolves when the
   * requests in flight have finished.
   */
  close(signal: NodeJS.Signals): Promise<void>
}

export interface ServeDependencies {
  readonly config: Config
  readonly ledger: Ledger
  readonly catalogues: Catalogues
  readonly documents: PolicyDocuments
  readonly privacyTexts: PolicyTexts | undefined
  readonly publishedCa: CurrentCa
  readonly log: Logger
  readonly tally: Tally
  readonly engineRecords: (() => EngineRecords) | undefined
}

// A terminator may reuse a kept-alive connection for four seconds, and cache the portal's address for a few. Requests
// that arrive within this time are served normally.
const GRACE_SECONDS = 5
// After the engine's timeout, requests in flight get this much longer.
const DRAIN_EXTRA_SECONDS = 10

/** How long a shutdown may take, in milliseconds. */
function drainMilliseconds({ engine }: Config): number {
  return (GRACE_SECONDS + engine.timeoutSeconds + DRAIN_EXTRA_SECONDS) * 1000
}

/** Closing the result closes the ledger. */
export async function serve({ config, ledger, log, ...dependencies }: ServeDependencies): Promise<Serving> {
  const capacity = capacityOf(openFileLimit())
  log.info({ capacity }, 'concurrency limits')
  const app = createApp({
    ...dependencies,
    config,
    ledger,
    log,
    capacity,
    sendAcknowledgement: createAcknowledgementClient(config),
    clock: Date.now,
  })
  const forceShutdown = new AbortController()
  let closing: Promise<void> | undefined
  const address = await app.listen(config.listen)
  const heads = appendHeads({ ledger, secret: config.session.secrets[0], log })
  return {
    address,
    close(signal) {
      if (signal !== 'SIGTERM' || closing !== undefined) forceShutdown.abort()
      closing ??= stop()
      return closing
    },
  }

  async function stop(): Promise<void> {
    const graceEnds = sleep(GRACE_SECONDS * 1000, undefined, { signal: forceShutdown.signal }).catch(() => {})
    const timeout = setTimeout(() => app.server.closeAllConnections(), drainMilliseconds(config))
    await app.close(graceEnds)
    clearTimeout(timeout)
    await heads.stop()
    await ledger.close()
  }
}
