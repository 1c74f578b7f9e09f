// For the privacy notice: what the engine records of visitors.
import type { EngineRecords } from '../../contract/engine-health.ts'
import type { ReadEngineHealth } from '../engine-client/health.ts'

const UNKNOWN: EngineRecords = { log: undefined, journal: undefined }

/**
 * By its last health document, in memory: after a restart of the portal nothing is known until the engine responds. Each call also
 * requests the document, so that the next call has what a restarted engine records: nobody waits for it.
 */
export function lastEngineRecords(readEngineHealth: ReadEngineHealth): () => EngineRecords {
  let last = UNKNOWN
  return () => {
    void readEngineHealth().then((health) => {
      if (health.reason === undefined) last = { log: health.log, journal: health.journal }
    })
    return last
  }
}
