// What the engine reports about its database, for its own status and for those of the gateway.
import { z } from 'zod'

export const databaseShape = z.object({
  up: z.boolean(),
  /** Why nothing can be written. Earlier engines do not report it. */
  fault: z.string().nullish(),
  memory_backed: z.boolean(),
  in_temporary_folder: z.boolean().default(false),
})

/** Undefined if acknowledgements can be stored. */
export function writeFault({ up, fault }: Pick<z.output<typeof databaseShape>, 'up' | 'fault'>): string | undefined {
  const reason = up ? fault : 'does not respond'
  return reason ? `${reason}: known sessions remain valid, nothing can be acknowledged` : undefined
}
