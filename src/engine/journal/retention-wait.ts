// Retention waits while the clock may be wrong: without a battery, a machine's clock has any time until NTP corrects it, and
// what is deleted by then is lost.
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'

const HOUR_MS = 3_600_000

export interface WaitOptions {
  readonly clock: Clock
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: Clock
  readonly log: Pick<Logger, 'warn'>
}

/** @returns whether the clock has run for an hour without being set forward by more than one; to be called regularly */
export function createRetentionWait({ clock, monotonic, log }: WaitOptions): () => boolean {
  let since = monotonic()
  let offset = clock() - since
  return () => {
    const now = monotonic()
    const ahead = clock() - now - offset
    offset += ahead
    if (ahead > HOUR_MS) {
      since = now
      log.warn(
        { hours: Math.round(ahead / HOUR_MS) },
        'the clock was set forward: the journal deletes nothing for an hour',
      )
    }
    return now - since >= HOUR_MS
  }
}
