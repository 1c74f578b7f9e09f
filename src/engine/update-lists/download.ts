// Downloads a file over https: every server on the way has a certificate that the system trusts, redirects included.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, get } from 'node:https'
import { MAXIMUM_BYTES, TOO_LONG } from './unpack.ts'

export interface DownloadOptions {
  /** Until its last byte. */
  readonly totalMs: number
  /** Without a byte. */
  readonly idleMs: number
  /** May name a proxy: HTTPS_PROXY, NO_PROXY. */
  readonly env: NodeJS.ProcessEnv
  /** Closes the connection, also where the body is not read to its end. */
  readonly stop: AbortController
}

const MAXIMUM_REDIRECTS = 10

/**
 * The body of the response.
 * @throws {Error} for a response other than 200, a web page, a redirect to anything but https, and an expired limit
 */
export async function* download(
  url: URL,
  { totalMs, idleMs, env, stop }: DownloadOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const agent = new Agent({ proxyEnv: env })
  const tooLong = new Error(`the download took more than ${totalMs / 60_000} minutes`)
  const timer = setTimeout(() => stop.abort(tooLong), totalMs).unref()
  try {
    for await (const chunk of await responseTo(url, agent, stop, idleMs)) yield chunk
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : faultOf(error)
  } finally {
    clearTimeout(timer)
    agent.destroy()
  }
}

async function responseTo(first: URL, agent: Agent, stop: AbortController, idleMs: number): Promise<IncomingMessage> {
  let url = first
  for (let redirects = 0; redirects <= MAXIMUM_REDIRECTS; redirects++) {
    const request = get(url, { agent, signal: stop.signal, timeout: idleMs, headers: { 'user-agent': 'update-lists' } })
    request.on('timeout', () => stop.abort(new Error(`the server sent nothing for ${idleMs / 1000} seconds`)))
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const { statusCode = 0, headers } = response
    if (statusCode === 200) {
      if (Number(headers['content-length']) > MAXIMUM_BYTES) throw new Error(TOO_LONG)
      if (!/^(text\/html|application\/xhtml)/i.test(headers['content-type'] ?? '')) return response
      throw new Error('the download is a web page')
    }
    const { location } = headers
    if (location === undefined || statusCode < 300 || statusCode > 399)
      throw new Error(`the server responded with ${statusCode}`)
    const next = URL.parse(location, url)
    if (next?.protocol !== 'https:') throw new Error('the server redirects to an address without https')
    response.destroy()
    url = next
  }
  throw new Error(`the server redirects more than ${MAXIMUM_REDIRECTS} times`)
}

/** Of several addresses of a host, only the last error tells why. */
function faultOf(error: unknown): unknown {
  return error instanceof AggregateError ? error.errors.at(-1) : error
}
