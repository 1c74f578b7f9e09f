// When the guard accepts a change.
import { type Estimate, verdictOf } from './statistics.ts'

/** The required share of the recorded ratio. */
export const MIN_SHARE = 0.85

const ATTEMPTS = 2

/**
 * Returns false when the whole interval is below that share of the recorded ratio, twice: the second time with new servers,
 * because JIT compilation or memory layout may be unlucky in one process.
 */
export async function holdsUp(recorded: number, measure: () => Promise<Estimate>): Promise<boolean> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const verdict = verdictOf(await measure(), { atLeast: recorded * MIN_SHARE })
    if (verdict === 'met' || verdict === 'open') return true
  }
  return false
}
