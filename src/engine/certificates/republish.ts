// Publishes every minute what became due while the engine runs: a renewal, or the CA that follows.
import type { Logger } from 'pino'
import { type ControlApi, type PublishOptions, publishCertificates } from './publish.ts'

const INTERVAL_MS = 60_000

/** @returns what ends it */
export function startRepublishing(options: PublishOptions, control: ControlApi, log: Logger): () => void {
  const interval = setInterval(() => {
    publishCertificates(options, control).catch((error: unknown) => {
      log.error({ err: error }, 'certificates cannot be published; those that are there stay')
    })
  }, INTERVAL_MS)
  return () => clearInterval(interval)
}
