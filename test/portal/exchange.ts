// Sends requests to a portal without any rewriting: the exact target and headers, or the exact bytes.
import { request } from 'node:http'
import { connect } from 'node:net'
import type { RunningPortal } from '../support/portal.ts'

export interface Exchanged {
  readonly status: number
  /** By lower-case name; duplicates are joined by a line feed. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  readonly bytes: Buffer
}

export type RequestHeaders = Readonly<Record<string, string | string[]>>

/** Sends one request on its own connection, with these headers, Host and Connection only. */
export function exchange(
  { port }: Pick<RunningPortal, 'port'>,
  target: string,
  headers: RequestHeaders = {},
  method = 'GET',
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path: target, headers, agent: false })
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      response.toArray().then((chunks: Buffer[]) => {
        const bytes = Buffer.concat(chunks)
        const { statusCode: status = 0, rawHeaders } = response
        resolve({ status, headers: byName(rawHeaders), body: bytes.toString(), bytes })
      }, reject)
    })
    outgoing.end()
  })
}

/**
 * Sends these bytes (one per character) and returns everything that the portal sends until it closes the connection.
 * @throws {Error} when nothing arrives for that long (milliseconds)
 */
export function exchangeBytes({ port }: Pick<RunningPortal, 'port'>, bytes: string, patience = 5_000): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
    socket.setTimeout(patience, () => {
      reject(new Error(`the connection stays open; so far: ${received}`))
      socket.destroy()
    })
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    // The portal may close the connection before it has read everything.
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
  })
}

/** Name and value of the cookie that a response sets, for a Cookie header. */
export function cookieSet({ headers }: Exchanged): string {
  const [pair = ''] = (headers.get('set-cookie') ?? '').split(';')
  return pair
}

function byName(rawHeaders: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase()
    const before = headers.get(name)
    const value = rawHeaders[index + 1] as string
    headers.set(name, before === undefined ? value : `${before}\n${value}`)
  }
  return headers
}
