// How many acknowledgements are under way at once. An engine that answers late, or a database that hangs, holds as many
// as there are places; the next visitors hear at once that they should try again, and no page waits for either.
import type { VerdictKind } from '../contract/verdict.ts'
import type { Capacity } from './capacity.ts'
import type { Tally } from './ops/tally.ts'

/** Plain numbers, for whoever watches. */
export interface RelayLoad {
  /** Acknowledgements under way. */
  readonly relays: number
  /** Those of them that need the database. */
  readonly recordings: number
  /** Acknowledgements that found no place, since the start. */
  readonly relaysRefused: number
}

export interface RelayPlaces {
  /** What gives the place back; undefined when there is none. Taken before anything is recorded. */
  take(kind: VerdictKind): (() => void) | undefined
  load(): RelayLoad
}

/** @param shed counted here, by reason */
export function createRelayPlaces(
  capacity: Pick<Capacity, 'relays' | 'recordings'>,
  shed: Pick<Tally['shed'], 'engine' | 'database'>,
): RelayPlaces {
  let relays = 0
  let recordings = 0
  return {
    take(kind) {
      const isRecorded = kind === 'aup'
      if (relays >= capacity.relays || (isRecorded && recordings >= capacity.recordings)) {
        shed[relays >= capacity.relays ? 'engine' : 'database']++
        return undefined
      }
      relays++
      if (isRecorded) recordings++
      return () => {
        relays--
        if (isRecorded) recordings--
      }
    },
    load: () => ({ relays, recordings, relaysRefused: shed.engine + shed.database }),
  }
}
