// The clients of the configured engine.

import type { EngineLog } from '../../contract/engine-health.ts'
import type { Config } from '../settings/config.ts'
import { createSendAcknowledgement, type SendAcknowledgement } from './engine-client/acknowledge.ts'
import { createReadEngineHealth, type ReadEngineHealth } from './engine-client/health.ts'

/** Undefined when acknowledgements are turned off. */
export function createAcknowledgementClient(config: Config): SendAcknowledgement | undefined {
  const { engine, release } = config
  if (engine.url === undefined) return undefined
  const userAgent = `captive-portal/${release.version}`
  return createSendAcknowledgement({ ...engine, url: engine.url, ...trustOf(config), userAgent, clock })
}

/** Undefined when acknowledgements are turned off. */
export function createHealthClient(config: Config): ReadEngineHealth | undefined {
  const { url } = config.engine
  return url && createReadEngineHealth({ url, ...trustOf(config), clock })
}

/**
 * What the engine logs, by its last health document. Each call also requests the document, so that the next call has what
 * a restarted engine logs: nobody waits for it.
 */
export function lastEngineLog(readEngineHealth: ReadEngineHealth): () => EngineLog | undefined {
  let last: EngineLog | undefined
  return () => {
    void readEngineHealth().then((health) => {
      if (health.reason === undefined) last = health.log
    })
    return last
  }
}

const clock = () => performance.now()

function trustOf({ engine, certificate }: Config) {
  return { caFile: engine.caFile, publishedCa: certificate.inspection ? certificate.path : undefined }
}
