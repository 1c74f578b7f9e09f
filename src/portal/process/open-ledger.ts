// The start of a portal whose database is started with it, and takes longer.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Ledger } from '../../ledger/ledger.ts'
import { LedgerUnavailable } from '../../ledger/ledger-unavailable.ts'

const PATIENCE_SECONDS = 30
const PAUSE_MILLISECONDS = 500

/**
 * Tries again while nobody answers at the database's address, or it says that it is starting; says so once in the log.
 * Half a minute at most: less than the image's health check waits.
 * @throws {LedgerUnavailable} of the last try; at once when the database is not usable for another reason
 */
export async function openWhenReachable(open: () => Promise<Ledger>, log: Logger): Promise<Ledger> {
  const lastTry = performance.now() + PATIENCE_SECONDS * 1000 - PAUSE_MILLISECONDS
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await open()
    } catch (error) {
      const mayCome = error instanceof LedgerUnavailable && error.isOutOfReach
      if (!mayCome || performance.now() > lastTry) throw error
      if (isFirst)
        log.warn({ err: error }, `the database does not answer yet; waiting for ${PATIENCE_SECONDS} s at most`)
      await sleep(PAUSE_MILLISECONDS)
    }
  }
}
