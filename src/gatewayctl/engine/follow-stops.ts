// Follows the journal: asks once a second for what has come since. Rows come late and out of order, so that each call repeats some
// seconds; a row is recognised by its reference. An engine that restarts is waited for.
import { setTimeout as sleep } from 'node:timers/promises'
import type { AdministrationResponse, ListedStop } from '../../contract/administration.ts'
import { EXIT_FAILED, Failure } from '../failure.ts'

type Found = AdministrationResponse<'stopped'>

/**
 * Never ends.
 * @param first what was found before, the newest first
 * @param remark gets a line when the engine does not respond, and when it does again
 * @yields the oldest first
 * @throws {Failure} where trying again is of no use
 */
export async function* followStops(
  first: Found,
  call: (after: string) => Promise<Found>,
  remark: (text: string) => void,
  pollMs = 1_000,
): AsyncGenerator<readonly ListedStop[]> {
  let after = first.next
  // A call repeats only what the one before it has returned.
  let known = new Set(first.stops.map(({ reference }) => reference))
  let isAway = false
  yield first.stops.toReversed()
  for (;;) {
    await sleep(pollMs)
    const returned = new Set<string>()
    try {
      for (let more = true; more; ) {
        const found = await call(after)
        if (isAway) remark('The engine responds again.')
        isAway = false
        const stops = found.stops.filter(({ reference }) => !known.has(reference) && !returned.has(reference))
        for (const { reference } of found.stops) returned.add(reference)
        after = found.next
        more = found.more
        if (stops.length > 0) yield stops
      }
      known = returned
    } catch (error) {
      if (!(error instanceof Failure) || error.exitCode !== EXIT_FAILED) throw error
      if (!isAway) remark(`${error.message}; trying again each second`)
      isAway = true
      // What was returned before the failure may be repeated, too.
      known = known.union(returned)
    }
  }
}
