// The difference between a server's clock and this machine's, from the Date header of its response.
import { type Finding, failing, ok, skipped } from './finding.ts'
import type { Response } from './request.ts'

/** Half of the protocol's clock allowance. */
const MAXIMUM_SECONDS = 30
const ADVICE =
  'set the clocks by NTP on every machine: links expire too early, or are rejected because they seem to come from the future'

/** How many seconds the server's clock is ahead of this one, measured at the middle of the request. */
export async function clockDifference(
  request: () => Promise<Response>,
  clock: () => number,
): Promise<number | undefined> {
  const before = clock()
  const { headers } = await request()
  const after = clock()
  const date = Date.parse(headers.date ?? '')
  // Date has a resolution of one second.
  return Number.isNaN(date) ? undefined : (date + 500 - (before + after) / 2) / 1000
}

export function clockFinding(check: string, tried: string, seconds: number | undefined): Finding {
  if (seconds === undefined) return skipped(check, tried, 'no Date in the response')
  const seen = `${Math.abs(Math.round(seconds))} s ${seconds < 0 ? 'behind' : 'ahead'}`
  return Math.abs(seconds) > MAXIMUM_SECONDS ? failing(check, tried, seen, ADVICE) : ok(check, tried, seen)
}
