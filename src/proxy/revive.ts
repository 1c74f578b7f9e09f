// Ends an outage of the ICAP service for Squid. When Squid's own request for the service's options fails, it refuses everything
// for the next 30 seconds, and accepts no shorter pause; when it is reconfigured, it requests them again at once.
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MILLISECONDS = 250
/** Between two of these reconfigurations: each closes Squid's ports for a moment, and Squid may reject what we accept. */
const PAUSE_MILLISECONDS = 5_000

export interface ReviveOptions {
  /** Whether the service responds. */
  readonly isServing: () => Promise<boolean>
  readonly reconfigure: () => void
  readonly signal: AbortSignal
}

/** @returns a function to call when Squid reports that the service is down */
export function reviver({ isServing, reconfigure, signal }: ReviveOptions): () => void {
  let isWaiting = false
  let last = Number.NEGATIVE_INFINITY

  async function revive(): Promise<void> {
    await sleep(Math.max(0, last + PAUSE_MILLISECONDS - performance.now()), undefined, { signal })
    while (!(await isServing())) await sleep(POLL_MILLISECONDS, undefined, { signal })
    if (signal.aborted) return
    last = performance.now()
    reconfigure()
  }

  return () => {
    if (isWaiting) return
    isWaiting = true
    revive()
      .catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
      .finally(() => {
        isWaiting = false
      })
  }
}
