// Waiting for what happens elsewhere.
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * @param every milliseconds between two looks
 * @throws {Error} when it has not come true in time
 */
export async function until(condition: () => boolean | Promise<boolean>, seconds = 10, every = 10): Promise<void> {
  for (const deadline = Date.now() + seconds * 1000; !(await condition()); await sleep(every)) {
    if (Date.now() > deadline) throw new Error(`still not so: ${condition}`)
  }
}
