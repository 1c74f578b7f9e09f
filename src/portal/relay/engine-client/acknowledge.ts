// Sends an acknowledgement to the engine, on its own connection, with one timeout and no retry.
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { encodeOverrideCode, OVERRIDE_CODE_HEADER } from '../../../contract/acknowledgement.ts'
import type { VerdictQuery } from '../../../contract/query.ts'
import { type EngineResponse, interpretResponse, type RawResponse } from './response.ts'
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

const MAXIMUM_BODY_BYTES = 64 * 1024
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
      return { kind: 'broken', status: undefined, reason: describe(error) }
    }
  }
}

function exchange(open: () => ReturnType<typeof httpRequest>, milliseconds: number): Promise<RawResponse | 'late'> {
  return new Promise((resolve, reject) => {
    const request = open()
    // Their size is limited instead: by default Node silently drops headers beyond the first thousand.
    request.maxHeadersCount = 0
    const timeout = setTimeout(() => {
      resolve('late')
      request.destroy()
    }, milliseconds)
    const fail = (error: Error) => {
      clearTimeout(timeout)
      reject(error)
      request.destroy()
    }
    request.on('error', fail)
    // Any connection that ends without a response, 101 included.
    const closedEarly = () => fail(new Error('closed without a response'))
    request.on('close', closedEarly)
    request.on('response', (response) => {
      // From here on, reading the body detects truncation, even if the connection has already ended.
      request.off('close', closedEarly)
      readBody(response).then((body) => {
        clearTimeout(timeout)
        resolve({
          status: response.statusCode ?? 0,
          reasonPhrase: response.statusMessage ?? '',
          rawHeaders: response.rawHeaders,
          body,
        })
        request.destroy()
      }, fail)
    })
    request.end()
  })
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAXIMUM_BODY_BYTES) throw new Error('body larger than 64 KiB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** For the log. Never includes the request, whose path contains `p`. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error ? `${String(error.code)}: ${error.message}` : error.message
}
