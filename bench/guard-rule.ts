// When the guard accepts a change.
import { type Estimate, verdictOf } from './statistics.ts'

/** Of the recorded ratio. */
export const LEAST_PART = 0.85

const ATTEMPTS = 2

/**
 * False when the whole interval lies below that part of the recorded ratio, twice: the second time with new servers, because
 * a process may have been compiled or placed unluckily.
 */
export async function holdsUp(recorded: number, measure: () => Promise<Estimate>): Promise<boolean> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const verdict = verdictOf(await measure(), { atLeast: recorded * LEAST_PART })
    if (verdict === 'met' || verdict === 'open') return true
  }
  return false
}
