// The terminator's client, for tests: sends requests unmodified, over verified TLS.
import { once } from 'node:events'
import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'

export interface ClientResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, in the order received. */
  readonly rawHeaders: readonly string[]
  readonly body: string
}

/** Sends a request with exactly this target and these headers, on the agent's connection or on a new one. */
export async function send(origin: string, path: string, options: RequestOptions = {}): Promise<ClientResponse> {
  const url = new URL(origin)
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  const sent = request({ host: url.hostname, port: url.port, path, agent: false, ...options })
  sent.end()
  const [response] = await once(sent, 'response')
  const chunks: Buffer[] = await response.toArray()
  const { statusCode: status, headers, rawHeaders } = response
  return { status, headers, rawHeaders, body: Buffer.concat(chunks).toString() }
}

/** The same over HTTP/2, with or without a body. */
export async function sendHttp2(
  origin: string,
  ca: string,
  headers: OutgoingHttpHeaders,
  body?: string,
): Promise<ClientResponse> {
  const session = connectHttp2(origin, { ca })
  try {
    await once(session, 'connect')
    // An error of the session also ends its stream.
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
 * Sends these bytes (one per character) and returns everything received until the peer ends the connection or sends
 * nothing for two seconds.
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
    // The peer may close before it has read everything.
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
  })
}
