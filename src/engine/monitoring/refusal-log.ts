// Log lines about clients that are refused. One with a wrong setting, or a stranger, sends thousands of requests a second: each
// problem is logged once in ten seconds.
import type { Logger } from 'pino'

const QUIET_MS = 10_000
/** The texts are ours, so there are few; the limit bounds the map. */
const MAXIMUM_PROBLEMS = 256

export type LogRefusal = (message: string, problem: string, fields: Readonly<Record<string, unknown>>) => void

/** @param clock milliseconds */
export function createRefusalLog(log: Pick<Logger, 'warn'>, clock: () => number = () => performance.now()): LogRefusal {
  const reported = new Map<string, number>()
  return (message, problem, fields) => {
    const now = clock()
    const key = `${message}: ${problem}`
    const last = reported.get(key)
    if (last !== undefined && now - last < QUIET_MS) return
    if (reported.size >= MAXIMUM_PROBLEMS) reported.clear()
    reported.set(key, now)
    log.warn(fields, message)
  }
}
