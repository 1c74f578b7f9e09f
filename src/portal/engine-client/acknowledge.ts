// Sends an acknowledgement to the engine.
import { encodeOverrideCode, OVERRIDE_CODE_HEADER } from '../../contract/acknowledgement.ts'
import type { VerdictQuery } from '../../contract/verdict-url.ts'
import { requestEngine } from './request.ts'
import { type EngineResponse, interpretResponse } from './response.ts'
import { createTlsAgents } from './tls-agents.ts'
import type { TrustOptions } from './trust.ts'

export interface EngineAddress extends TrustOptions {
  readonly url: URL
  readonly ackPath: string
  readonly timeoutSeconds: number
  readonly apiToken: string | undefined
  /** Such as `captive-portal/2026.47.0`. */
  readonly userAgent: string
  /** Milliseconds; never set back. */
  readonly clock: () => number
}

interface Acknowledgement {
  readonly query: VerdictQuery
  /** Undefined when unknown. */
  readonly clientAddress: string | undefined
  /** As the visitor typed it. */
  readonly overrideCode: string | undefined
}

/** Sends one request. Never rejects: failures are responses of kind `broken` or `late`. */
export type SendAcknowledgement = (acknowledgement: Acknowledgement) => Promise<EngineResponse>

export function createSendAcknowledgement(engine: EngineAddress): SendAcknowledgement {
  const { url, ackPath, apiToken, userAgent } = engine
  const tlsAgent = createTlsAgents(engine)
  const path = url.pathname.replace(/\/$/, '') + ackPath
  const fixedHeaders = {
    'user-agent': userAgent,
    ...(apiToken !== undefined && { authorization: `Bearer ${apiToken}` }),
  }
  const timeoutMs = engine.timeoutSeconds * 1000

  return async ({ query, clientAddress, overrideCode }) => {
    const headers = {
      ...fixedHeaders,
      ...(clientAddress !== undefined && { 'x-forwarded-for': clientAddress }),
      ...(overrideCode !== undefined && { [OVERRIDE_CODE_HEADER]: encodeOverrideCode(overrideCode) }),
    }
    const target = `${path}?${query.text}`
    const { response, isLate, reason } = await requestEngine({ url, target, headers, tlsAgent, timeoutMs })
    if (response !== undefined) return interpretResponse(response)
    return isLate ? { kind: 'late', status: undefined } : { kind: 'broken', status: undefined, reason }
  }
}
