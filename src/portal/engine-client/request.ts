// One request to the engine, on its own connection, and its whole response: with one timeout, limits and no retry.
import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { type Agent, request as httpsRequest } from 'node:https'
import { describeFault } from './fault.ts'

/** As received: status, raw headers, and up to 64 KiB of body, never decompressed. */
export interface RawResponse {
  readonly status: number
  readonly reasonPhrase: string
  /** Name, value, name, value, …; each character is one byte. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
}

/** `late`: no response within the timeout. Otherwise the reason says what to do about it. */
type Requested =
  | { readonly response: RawResponse; readonly isLate?: undefined; readonly reason?: undefined }
  | { readonly response?: undefined; readonly isLate: boolean; readonly reason: string }

export interface EngineRequest {
  /** The engine's origin. */
  readonly url: URL
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  /** The agent of the next request, which verifies the certificate; none over http. */
  readonly tlsAgent: () => Agent | undefined
  readonly timeoutMs: number
}

const MAXIMUM_HEADER_BYTES = 16 * 1024
const MAXIMUM_BODY_BYTES = 64 * 1024

/** Never rejects. */
export async function requestEngine({ url, target, headers, tlsAgent, timeoutMs }: EngineRequest): Promise<Requested> {
  const options: RequestOptions = {
    path: target,
    maxHeaderSize: MAXIMUM_HEADER_BYTES,
    headers: { accept: 'application/json', 'accept-encoding': 'identity', ...headers },
  }
  // No agent keeps a connection: on a poisoned one, a visitor could get another's response.
  const open = () => {
    const agent = tlsAgent()
    return agent === undefined
      ? httpRequest(url, { ...options, agent: false })
      : httpsRequest(url, { ...options, agent })
  }
  try {
    const response = await sendRequest(open, timeoutMs)
    if (response !== undefined) return { response }
    return { isLate: true, reason: `no response within ${timeoutMs / 1000} s` }
  } catch (error) {
    return { isLate: false, reason: describeFault(error, url) }
  }
}

/**
 * @returns undefined after the timeout
 * @throws the system's error, or one about a response that is broken or too large
 */
function sendRequest(open: () => ClientRequest, timeoutMs: number): Promise<RawResponse | undefined> {
  return new Promise((resolve, reject) => {
    const request = open()
    // Their size is limited instead: by default Node silently drops headers beyond the first thousand.
    request.maxHeadersCount = 0
    const timeout = setTimeout(() => {
      resolve(undefined)
      request.destroy()
    }, timeoutMs)
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
