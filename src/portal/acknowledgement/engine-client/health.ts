// Whether the engine responds, which key it seals with, and what it logs: one request for its health document, verified as an
// acknowledgement is.
import { request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type EngineLog, engineLogOf, keyIdOf } from '../../../contract/engine-health.ts'
import type { EngineAddress } from './acknowledge.ts'
import { exchange } from './exchange.ts'
import { describeFault } from './fault.ts'
import { createEngineTrust } from './trust.ts'

/** Why there is no response; or the key that the engine seals with and what it logs, undefined where it does not report that. */
export type EngineHealth =
  | { readonly fault: string }
  | { readonly fault?: never; readonly keyId: string | undefined; readonly log?: EngineLog | undefined }

/** Never rejects. */
export type ReadEngineHealth = () => Promise<EngineHealth>

const TIMEOUT_MILLISECONDS = 2_000
const MAXIMUM_HEADER_BYTES = 16 * 1024

export function createReadEngineHealth(
  engine: Pick<EngineAddress, 'url' | 'caFile' | 'publishedCa'>,
): ReadEngineHealth {
  const { url } = engine
  const trust = url.protocol === 'https:' ? createEngineTrust(engine) : undefined
  const options = {
    path: '/healthz',
    agent: false,
    maxHeaderSize: MAXIMUM_HEADER_BYTES,
    headers: { accept: 'application/json', 'accept-encoding': 'identity' },
  } as const
  return async () => {
    try {
      const response = await exchange(() => {
        if (trust === undefined) return httpRequest(url, options)
        // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED would otherwise turn it off.
        const verified = { rejectUnauthorized: true, secureContext: trust() }
        return httpsRequest(url, { ...options, ...verified } as RequestOptions)
      }, TIMEOUT_MILLISECONDS)
      if (response === 'late') return { fault: `no response within ${TIMEOUT_MILLISECONDS / 1000} s` }
      // Another engine may respond with any status.
      const body = response.status === 200 ? response.body.toString() : ''
      return { keyId: keyIdOf(body), log: engineLogOf(body) }
    } catch (error) {
      return { fault: describeFault(error, url) }
    }
  }
}
