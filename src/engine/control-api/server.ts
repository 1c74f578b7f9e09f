// The control API's listener: TLS, the limits of a request, and a stop that lets those in flight finish.
import { once } from 'node:events'
import { type RequestListener, STATUS_CODES } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, isIPv6 } from 'node:net'
import type { ControlApi, ControlCertificate } from '../certificates/publish.ts'
import { problem } from './problems.ts'

export interface ControlServerOptions {
  readonly certificate: ControlCertificate
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly listener: RequestListener
}

export interface ControlServer extends ControlApi {
  /** `https://127.0.0.1:11225`. */
  readonly address: string
  /** Takes no further requests; resolves when those in flight are answered, at most five seconds later. */
  stop(): Promise<void>
}

const TLS = { minVersion: 'TLSv1.2' } as const
const REQUEST_MS = 10_000
const STOP_MS = 5000

/** What the HTTP parser's own errors mean. */
const STATUS_OF: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }

/** @throws {Error} when the address cannot be listened on */
export async function startControlServer(options: ControlServerOptions): Promise<ControlServer> {
  let { certificate } = options
  const server = createServer(
    {
      ...certificate,
      ...TLS,
      handshakeTimeout: REQUEST_MS,
      maxHeaderSize: 16 * 1024,
      headersTimeout: REQUEST_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: 1000,
    },
    options.listener,
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
    const { status, body } = problem(STATUS_OF[error.code ?? ''] ?? 400)
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/problem+json\r\nConnection: close\r\n`
    socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  })
  server.listen(options.port, options.host)
  await once(server, 'listening')
  const { address, port } = server.address() as AddressInfo
  return {
    address: `https://${isIPv6(address) ? `[${address}]` : address}:${port}`,
    get certificate() {
      return certificate
    },
    present(issued) {
      certificate = issued
      server.setSecureContext({ ...certificate, ...TLS })
    },
    async stop() {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      const patience = setTimeout(() => server.closeAllConnections(), STOP_MS)
      await closed
      clearTimeout(patience)
    },
  }
}
