// A browser's side of the terminator, for tests: requests that nothing rewrites on the way, over TLS that is verified.
import { once } from 'node:events'
import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** In the order of their coming, names and values in turn. */
  readonly rawHeaders: readonly string[]
  readonly body: string
}

/** One request with exactly this target and these headers; with an `agent` on its connection, otherwise on one of its own. */
export async function ask(origin: string, path: string, options: RequestOptions = {}): Promise<Answered> {
  const url = new URL(origin)
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  const sent = request({ host: url.hostname, port: url.port, path, agent: false, ...options })
  sent.end()
  const [response] = await once(sent, 'response')
  const chunks: Buffer[] = await response.toArray()
  const { statusCode: status, headers, rawHeaders } = response
  return { status, headers, rawHeaders, body: Buffer.concat(chunks).toString() }
}

/** The same over HTTP/2, with a body or without one. */
export async function askHttp2(
  origin: string,
  ca: string,
  headers: OutgoingHttpHeaders,
  body?: string,
): Promise<Answered> {
  const session = connectHttp2(origin, { ca })
  try {
    await once(session, 'connect')
    // What ends the session ends its stream.
    session.on('error', () => {})
    const stream = session.request(headers, { endStream: body === undefined })
    if (body !== undefined) stream.end(body)
    const [answered, , rawHeaders] = await once(stream, 'response')
    const chunks: Buffer[] = await stream.toArray()
    const { ':status': status, ...rest } = answered
    return { status, headers: rest, rawHeaders, body: Buffer.concat(chunks).toString() }
  } finally {
    session.destroy()
  }
}

/**
 * Sends these bytes (one for each character) and gives back all that comes until the other side ends the connection or
 * says nothing for two seconds.
 * @param ca for TLS
 */
export function exchangeBytes(port: number, bytes: string, ca?: string): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    const begin = () => socket.write(bytes, 'latin1')
    const socket =
      ca === undefined
        ? connect(port, '127.0.0.1', begin)
        : connectTls({ port, host: '127.0.0.1', ca, servername: 'localhost', ALPNProtocols: ['http/1.1'] }, begin)
    socket.setTimeout(2_000, () => socket.destroy())
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    // The other side may be gone before it has read everything.
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
  })
}
