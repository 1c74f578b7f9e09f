// The start of a portal whose database is started with it, and takes longer.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Ledger } from '../ledger/ledger.ts'
import { LedgerUnavailable } from '../ledger/unavailable.ts'

/** Milliseconds: less than the image's health check waits. */
const PATIENCE = 30_000
const PAUSE = 500

/**
 * Tries again while nobody answers at the database's address, or it says that it is starting; says so once in the log.
 * @param patience how long, in milliseconds
 * @throws {LedgerUnavailable} of the last try; at once when the database is not usable for another reason
 */
export async function openWhenReachable(
  open: () => Promise<Ledger>,
  log: Logger,
  patience: number = PATIENCE,
): Promise<Ledger> {
  const deadline = performance.now() + patience
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await open()
    } catch (error) {
      const mayCome = error instanceof LedgerUnavailable && error.isOutOfReach
      if (!mayCome || performance.now() + PAUSE > deadline) throw error
      const seconds = Math.round(patience / 1000)
      if (isFirst) log.warn({ err: error }, `the database does not answer yet; waiting for ${seconds} s at most`)
      await sleep(PAUSE)
    }
  }
}
