// Log lines about clients. A proxy with a wrong setting sends thousands of requests a second: each problem is logged once
// in ten seconds.
import type { Logger } from 'pino'

const QUIET_MS = 10_000
/** The texts are ours, so there are few; the limit is for addresses in them. */
const MAXIMUM_PROBLEMS = 256

/** @param clock milliseconds */
export function createReporter(
  log: Pick<Logger, 'warn'>,
  clock: () => number = () => performance.now(),
): (problem: string, client: string | undefined) => void {
  const reported = new Map<string, number>()
  return (problem, client) => {
    const now = clock()
    const last = reported.get(problem)
    if (last !== undefined && now - last < QUIET_MS) return
    if (reported.size >= MAXIMUM_PROBLEMS) reported.clear()
    reported.set(problem, now)
    log.warn({ proxy: client, problem }, 'ICAP request refused')
  }
}
