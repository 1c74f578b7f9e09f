// Waits for a database that starts at the same time as the program, but takes longer.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { DatabaseUnavailable } from './unavailable.ts'

const TIMEOUT_SECONDS = 30
const RETRY_MS = 500

/**
 * Retries while the database is not reachable or reports that it is starting, and logs that once. It retries for half a
 * minute, which is less than the image's health check waits.
 * @throws {DatabaseUnavailable} of the last attempt; immediately when the database is unusable for another reason
 */
export async function openWhenReachable<T>(open: () => Promise<T>, log: Pick<Logger, 'warn'>): Promise<T> {
  const retryUntil = performance.now() + TIMEOUT_SECONDS * 1000 - RETRY_MS
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await open()
    } catch (error) {
      const isRetryable = error instanceof DatabaseUnavailable && error.isUnreachable
      if (!isRetryable || performance.now() > retryUntil) throw error
      if (isFirst)
        log.warn({ err: error }, `the database is not reachable yet; retrying for up to ${TIMEOUT_SECONDS} s`)
      await sleep(RETRY_MS)
    }
  }
}
