// The displayed state of an acceptance: pending for too long means unknown (protocol v1, section 3).
import { UNKNOWN_AFTER_MS } from '../../../ledger/metrics.ts'
import type { AcceptanceRecord } from '../../../ledger/schema.ts'
import type { Colour } from '../../terminal/style.ts'

const COLOURS: Readonly<Record<string, Colour>> = { accepted: 'green', refused: 'red', unknown: 'yellow' }

/** @param now milliseconds since the epoch */
export function displayedState({ state, requested_at }: AcceptanceRecord, now: number): string {
  return state === 'pending' && Date.parse(requested_at) < now - UNKNOWN_AFTER_MS ? 'unknown' : state
}

export const stateColour = (state: string): Colour | undefined => COLOURS[state]
