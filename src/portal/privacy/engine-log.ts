// For the privacy notice: what the engine logs of visitors.
import type { EngineLog } from '../../contract/engine-health.ts'
import type { ReadEngineHealth } from '../engine-client/health.ts'

/**
 * By its last health document. Each call also requests the document, so that the next call has what
 * a restarted engine logs: nobody waits for it.
 */
export function lastEngineLog(readEngineHealth: ReadEngineHealth): () => EngineLog | undefined {
  let last: EngineLog | undefined
  return () => {
    void readEngineHealth().then((health) => {
      if (health.reason === undefined) last = health.log
    })
    return last
  }
}
