// Waits for a database that is started together with the portal and takes longer.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Ledger } from '../../ledger/ledger.ts'
import { LedgerUnavailable } from '../../ledger/ledger-unavailable.ts'

const TIMEOUT_SECONDS = 30
const RETRY_MILLISECONDS = 500

/**
 * Retries while the database is not reachable or reports that it is starting, and logs that once. It retries for half a
 * minute, which is less than the image's health check waits.
 * @throws {LedgerUnavailable} of the last attempt; immediately when the database is unusable for another reason
 */
export async function openWhenReachable(open: () => Promise<Ledger>, log: Logger): Promise<Ledger> {
  const retryUntil = performance.now() + TIMEOUT_SECONDS * 1000 - RETRY_MILLISECONDS
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await open()
    } catch (error) {
      const isRetryable = error instanceof LedgerUnavailable && error.isOutOfReach
      if (!isRetryable || performance.now() > retryUntil) throw error
      if (isFirst)
        log.warn({ err: error }, `the database is not reachable yet; retrying for up to ${TIMEOUT_SECONDS} s`)
      await sleep(RETRY_MILLISECONDS)
    }
  }
}
