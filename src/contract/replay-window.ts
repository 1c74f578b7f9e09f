// Classifies a verdict's age by its `ts`: pages apply the replay window; acknowledgements, and a policy that is being read,
// get 15 more minutes (protocol v1, sections 1 and 2).
import type { Verdict } from './verdict.ts'

/** `late`: after the replay window, within the reading time. */
type VerdictAge = 'future' | 'fresh' | 'late' | 'expired'
export type AgeOfVerdict = (verdict: Pick<Verdict, 'issuedAt'>) => VerdictAge

const MAXIMUM_CLOCK_AHEAD_SECONDS = 60
const READING_SECONDS = 15 * 60

/**
 * @param maxAgeSeconds the replay window
 * @param clock milliseconds since 1970
 */
export function createReplayWindow(maxAgeSeconds: number, clock: () => number): AgeOfVerdict {
  const ahead = Math.min(MAXIMUM_CLOCK_AHEAD_SECONDS, maxAgeSeconds)
  return ({ issuedAt }) => {
    const age = Math.floor(clock() / 1000) - issuedAt
    if (age < -ahead) return 'future'
    if (age <= maxAgeSeconds) return 'fresh'
    return age <= maxAgeSeconds + READING_SECONDS ? 'late' : 'expired'
  }
}
