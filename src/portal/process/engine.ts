// Creates the clients for the configured engine.
import type { Config } from '../../config/config.ts'
import { createEngineClient, type SendAcknowledgement } from '../relay/engine-client/acknowledge.ts'
import { createReadEngineHealth, type ReadEngineHealth } from '../relay/engine-client/health.ts'

/** Undefined when acknowledgements are turned off. */
export function engineClient(config: Config): SendAcknowledgement | undefined {
  const { engine, release } = config
  if (engine.url === undefined) return undefined
  const userAgent = `captive-portal/${release.version}`
  const clock = () => performance.now()
  return createEngineClient({ ...engine, url: engine.url, ...trustOf(config), userAgent, clock })
}

/** Undefined when acknowledgements are turned off. */
export function engineHealth(config: Config): ReadEngineHealth | undefined {
  const { url } = config.engine
  return url && createReadEngineHealth({ url, ...trustOf(config) })
}

function trustOf({ engine, certificate }: Config) {
  return { caFile: engine.caFile, publishedCa: certificate.inspection ? certificate.path : undefined }
}
