// When the guard lets a change pass.
import type { Spread } from './statistics.ts'

/** Of the recorded ratio. */
export const LEAST_PART = 0.75

const ATTEMPTS = 2

/** Whether the median is not far below the recorded one, at the second attempt at the latest: the machine may be busy. */
export async function holdsUp(recorded: number, measure: () => Promise<Spread>): Promise<boolean> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if ((await measure()).median >= recorded * LEAST_PART) return true
  }
  return false
}
