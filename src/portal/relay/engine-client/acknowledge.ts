// Sends an acknowledgement to the engine, on its own connection, with one timeout and no retry.
import { request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { encodeOverrideCode, OVERRIDE_CODE_HEADER } from '../../../contract/acknowledgement.ts'
import type { VerdictQuery } from '../../../contract/query.ts'
import { exchange } from './exchange.ts'
import { describeFault } from './fault.ts'
import { type EngineResponse, interpretResponse } from './response.ts'
import { createResumption } from './tls-resumption.ts'
import { createEngineTrust, type TrustOptions } from './trust.ts'

export interface EngineAddress extends TrustOptions {
  readonly url: URL
  readonly ackPath: string
  readonly timeoutSeconds: number
  readonly apiToken: string | undefined
  /** Such as `captive-portal/2026.47.0`. */
  readonly userAgent: string
  /** Milliseconds since 1970. */
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

const MAXIMUM_HEADER_BYTES = 16 * 1024

export function createEngineClient(engine: EngineAddress): SendAcknowledgement {
  const trust = engine.url.protocol === 'https:' ? createEngineTrust(engine) : undefined
  const resumption = createResumption(engine.clock)
  const basePath = engine.url.pathname.replace(/\/$/, '')
  const fixedHeaders = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': engine.userAgent,
    ...(engine.apiToken !== undefined && { authorization: `Bearer ${engine.apiToken}` }),
  }

  return async ({ query, clientAddress, overrideCode }) => {
    const options: RequestOptions = {
      method: 'GET',
      path: `${basePath}${engine.ackPath}?${query.text}`,
      // On a poisoned pooled connection, one visitor could get another's response.
      agent: false,
      maxHeaderSize: MAXIMUM_HEADER_BYTES,
      headers: {
        ...fixedHeaders,
        ...(clientAddress !== undefined && { 'x-forwarded-for': clientAddress }),
        ...(overrideCode !== undefined && { [OVERRIDE_CODE_HEADER]: encodeOverrideCode(overrideCode) }),
      },
    }
    try {
      const raw = await exchange(() => {
        if (trust === undefined) return httpRequest(engine.url, options)
        const secureContext = trust()
        // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED would otherwise turn it off.
        const verified = { rejectUnauthorized: true, secureContext, session: resumption.sessionFor(secureContext) }
        const request = httpsRequest(engine.url, { ...options, ...verified } as RequestOptions)
        resumption.keepFrom(request, secureContext)
        return request
      }, engine.timeoutSeconds * 1000)
      return raw === 'late' ? { kind: 'late', status: undefined } : interpretResponse(raw)
    } catch (error) {
      return { kind: 'broken', status: undefined, reason: describeFault(error, engine.url) }
    }
  }
}
