// Waiting for what happens elsewhere.
import { setTimeout as sleep } from 'node:timers/promises'

/** @throws {Error} when it has not come true within ten seconds */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 10_000; !(await condition()); await sleep(10)) {
    if (Date.now() > deadline) throw new Error(`still not so: ${condition}`)
  }
}
