// Polls for a condition.
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Polls until there is something, and returns it.
 * @param every milliseconds between two polls
 * @throws {Error} when there is nothing in time
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  seconds = 10,
  every = 10,
): Promise<Exclude<T, undefined | false>> {
  for (const deadline = Date.now() + seconds * 1000; ; await sleep(every)) {
    const found = await condition()
    if (found) return found as Exclude<T, undefined | false>
    if (Date.now() > deadline) throw new Error(`still not so: ${condition}`)
  }
}
