// The clients of the configured engine.

import type { Config } from '../settings/config.ts'
import { createSendAcknowledgement, type SendAcknowledgement } from './acknowledge.ts'
import { createReadEngineHealth, type ReadEngineHealth } from './health.ts'

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

const clock = () => performance.now()

function trustOf({ engine, certificate }: Config) {
  return { caFile: engine.caFile, publishedCa: certificate.inspection ? certificate.path : undefined }
}
