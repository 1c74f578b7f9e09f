// Derives an acceptance's state from its attempts (protocol v1, section 3).

export type AcceptanceState = 'pending' | 'accepted' | 'refused'

/**
 * The outcome of an attempt: the status of the engine's complete, well-formed response, `broken` for a malformed one, or
 * `none` after a timeout. A 302 with a `Location` that violates the protocol is broken.
 */
export type Outcome = number | 'broken' | 'none'

/** @param engineStatuses of every attempt; null without one */
export function deriveState(engineStatuses: readonly (number | null)[]): AcceptanceState {
  if (engineStatuses.includes(302)) return 'accepted'
  return engineStatuses.length > 0 && engineStatuses.every(isRefusal) ? 'refused' : 'pending'
}

function isRefusal(status: number | null): boolean {
  return status !== null && status >= 400 && status <= 499
}
