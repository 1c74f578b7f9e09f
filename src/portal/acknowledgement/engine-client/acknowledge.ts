// Sends an acknowledgement to the engine, on its own connection, with one timeout and no retry.
import { request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { encodeOverrideCode, OVERRIDE_CODE_HEADER } from '../../../contract/acknowledgement.ts'
import type { VerdictQuery } from '../../../contract/verdict-url.ts'
import { exchange } from './exchange.ts'
import { describeFault } from './fault.ts'
import { type EngineResponse, interpretResponse } from './response.ts'
import { createTlsAgents } from './tls-agents.ts'
import { createEngineTrust, type TrustOptions } from './trust.ts'

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

const MAXIMUM_HEADER_BYTES = 16 * 1024

export function createEngineClient(engine: EngineAddress): SendAcknowledgement {
  const tlsAgent =
    engine.url.protocol === 'https:' ? createTlsAgents(createEngineTrust(engine), engine.clock) : undefined
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
      maxHeaderSize: MAXIMUM_HEADER_BYTES,
      headers: {
        ...fixedHeaders,
        ...(clientAddress !== undefined && { 'x-forwarded-for': clientAddress }),
        ...(overrideCode !== undefined && { [OVERRIDE_CODE_HEADER]: encodeOverrideCode(overrideCode) }),
      },
    }
    try {
      const raw = await exchange(
        // No agent keeps a connection: on a poisoned one, a visitor could get another's response.
        () =>
          tlsAgent === undefined
            ? httpRequest(engine.url, { ...options, agent: false })
            : httpsRequest(engine.url, { ...options, agent: tlsAgent() }),
        engine.timeoutSeconds * 1000,
      )
      return raw === 'late' ? { kind: 'late', status: undefined } : interpretResponse(raw)
    } catch (error) {
      return { kind: 'broken', status: undefined, reason: describeFault(error, engine.url) }
    }
  }
}
