// Whether the engine responds, which key it seals with, and what it records of visitors: one request for its health document.
import {
  type EngineJournal,
  type EngineLog,
  engineJournalOf,
  engineLogOf,
  keyIdOf,
} from '../../contract/engine-health.ts'
import type { EngineAddress } from './acknowledge.ts'
import { requestEngine } from './request.ts'
import { createTlsAgents } from './tls-agents.ts'

/** Why there is no response; or the key that the engine seals with and what it records, undefined where it does not report that. */
export type EngineHealth =
  | { readonly reason: string }
  | {
      readonly reason?: never
      readonly keyId: string | undefined
      readonly log?: EngineLog | undefined
      readonly journal?: EngineJournal | undefined
    }

/** Never rejects. */
export type ReadEngineHealth = () => Promise<EngineHealth>

const TIMEOUT_MS = 2_000

export function createReadEngineHealth(
  engine: Pick<EngineAddress, 'url' | 'caFile' | 'publishedCa' | 'clock'>,
): ReadEngineHealth {
  const { url } = engine
  const request = { url, target: '/healthz', headers: {}, tlsAgent: createTlsAgents(engine), timeoutMs: TIMEOUT_MS }
  return async () => {
    const { response, reason } = await requestEngine(request)
    if (reason !== undefined) return { reason }
    // Another engine may respond with any status.
    const body = response.status === 200 ? response.body.toString() : ''
    return { keyId: keyIdOf(body), log: engineLogOf(body), journal: engineJournalOf(body) }
  }
}
