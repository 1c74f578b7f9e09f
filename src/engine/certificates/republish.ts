// Publishes what is due every minute: a renewal, or the next CA.
import type { Logger } from 'pino'
import { type ControlApi, type PublishOptions, publishCertificates } from './publish.ts'

const INTERVAL_MS = 60_000

/** @returns a function that stops it */
export function startRepublishing(options: PublishOptions, control: ControlApi, log: Logger): () => void {
  const interval = setInterval(() => {
    publishCertificates(options, control).catch((error: unknown) => {
      log.error({ err: error }, 'cannot publish certificates; the existing ones stay in use')
    })
  }, INTERVAL_MS)
  return () => clearInterval(interval)
}
