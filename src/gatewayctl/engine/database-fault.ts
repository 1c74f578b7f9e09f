// What the engine reports about its database, for its own status and for those of the gateway.
import type { EngineStatus } from '../../contract/administration.ts'

/** Undefined if acknowledgements can be stored. */
export function writeFault({ up, fault }: EngineStatus['database']): string | undefined {
  const reason = up ? fault : 'does not respond'
  return reason ? `${reason}: known sessions remain valid, nothing can be acknowledged` : undefined
}
