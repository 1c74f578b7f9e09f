// How an acceptance's state follows from its attempts (protocol v1, section 3).

export type AcceptanceState = 'pending' | 'accepted' | 'refused'

/**
 * What became of an attempt: the status of the engine's whole and well-formed answer, an answer that was broken,
 * or none in time. A 302 whose `Location` is not as the protocol says is broken.
 */
export type Outcome = number | 'broken' | 'none'

/** The state that follows from the engine status of every attempt; null where there is none (yet). */
export function deriveState(engineStatuses: readonly (number | null)[]): AcceptanceState {
  if (engineStatuses.includes(302)) return 'accepted'
  return engineStatuses.length > 0 && engineStatuses.every(isRefusal) ? 'refused' : 'pending'
}

function isRefusal(status: number | null): boolean {
  return status !== null && status >= 400 && status <= 499
}
