// Logs payloads whose key this portal does not have: with different secrets no page opens. Anyone can make up key ids, so
// each is logged once, at most one a minute, and only the last ones are remembered.
import type { Logger } from 'pino'
import { isKeyId } from '../../contract/engine-health.ts'

const INTERVAL_MILLISECONDS = 60_000
const REMEMBERED = 16

/** The returned function gets any text that a payload has as its key id. */
export function createUnknownKeyLog({
  log,
  clock,
}: {
  readonly log: Pick<Logger, 'error'>
  /** Milliseconds since 1970. */
  readonly clock: () => number
}): (keyId: string) => void {
  const logged = new Set<string>()
  let lastAt = Number.NEGATIVE_INFINITY
  return (keyId) => {
    if (!isKeyId(keyId) || logged.has(keyId)) return
    const now = clock()
    if (now >= lastAt && now - lastAt < INTERVAL_MILLISECONDS) return
    lastAt = now
    const [oldest = ''] = logged
    if (logged.size === REMEMBERED) logged.delete(oldest)
    logged.add(keyId)
    log.error(
      { keyId },
      'a payload is sealed with a key that this portal does not have: give it the shared secret of the engine (GATEWAY_CAPTIVE_SHARED_SECRET)',
    )
  }
}
