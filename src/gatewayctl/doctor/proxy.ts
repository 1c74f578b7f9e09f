// Requests through an explicit HTTP proxy.
import { type IncomingHttpHeaders, request } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RequestOptions, type Response, send } from './request.ts'

export interface ForwardProxy {
  readonly host: string
  readonly port: number
  /** Header fields for the proxy alone. */
  readonly fields: Readonly<Record<string, string>>
}

/** What a proxy responds to CONNECT: a tunnel, or another response. */
export type Connected =
  | { readonly socket: Socket; readonly status: 200; readonly headers: IncomingHttpHeaders }
  | { readonly socket: undefined; readonly status: number; readonly headers: IncomingHttpHeaders }

const TIMEOUT_MS = 10_000
const [RECONNECTS, RECONNECT_MS] = [6, 500]

/** @param credentials `name:password`; undefined for none */
export function authorization(credentials: string | undefined): ForwardProxy['fields'] {
  if (credentials === undefined) return {}
  return { 'Proxy-Authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }
}

/** @throws {Error} without a response, or when the proxy refuses the tunnel */
export async function sendThrough(proxy: ForwardProxy, url: URL, roots: readonly string[]): Promise<Response> {
  if (url.protocol !== 'https:') return await sendPlain(proxy, { url })
  const { socket, status } = await connectThrough(proxy, `${url.hostname}:${url.port || 443}`)
  if (socket === undefined) throw new Error(`the proxy responds to CONNECT with ${status}`)
  return await send({ url, socket, roots })
}

/** A request that the proxy reads. @throws {Error} without a response */
export function sendPlain(
  { host, port, fields }: ForwardProxy,
  options: Pick<RequestOptions, 'url' | 'target' | 'hostField' | 'headOnly'>,
): Promise<Response> {
  return unlessRefused(() => send({ ...options, connect: { host, port }, through: fields }))
}

/** @param authority `HOST:PORT` @throws {Error} without a response */
export function connectThrough(proxy: ForwardProxy, authority: string): Promise<Connected> {
  return unlessRefused(() => requestTunnel(proxy, authority))
}

function requestTunnel({ host, port, fields }: ForwardProxy, authority: string): Promise<Connected> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      ...{ host, port, method: 'CONNECT', path: authority, headers: { Host: authority, ...fields } },
      agent: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    outgoing.on('connect', ({ statusCode: status = 0, headers }, socket: Socket, head: Buffer) => {
      // An error before the socket is in use must not end the process.
      socket.on('error', () => {})
      if (status === 200) {
        if (head.length > 0) socket.unshift(head)
        resolve({ socket, status, headers })
        return
      }
      socket.destroy()
      resolve({ socket: undefined, status, headers })
    })
    outgoing.on('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.name === 'AbortError' ? 'timed out after 10 s' : (cause.code ?? cause.message)
      reject(new Error(`no response from the proxy: ${why}`, { cause }))
    })
    outgoing.end()
  })
}

/** Squid closes its ports for a moment while it reads its configuration again. */
async function unlessRefused<T>(request: () => Promise<T>): Promise<T> {
  for (let left = RECONNECTS; ; left--) {
    try {
      return await request()
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException
      if (code !== 'ECONNREFUSED' || left === 0) throw error
      await sleep(RECONNECT_MS)
    }
  }
}
