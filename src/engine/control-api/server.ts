// The control API's listener: TLS, request limits, and graceful shutdown.
import { once } from 'node:events'
import { type RequestListener, STATUS_CODES } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, isIPv6, type Socket } from 'node:net'
import type { CertificateUser, ControlCertificate } from '../certificates/publish.ts'
import { problem } from './responses.ts'

export interface ControlServerOptions {
  readonly certificate: ControlCertificate
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  readonly listener: RequestListener
  /** For tests. */
  readonly limits?: Partial<typeof LIMITS>
}

export interface ControlServer extends CertificateUser {
  /** `https://127.0.0.1:11225`. */
  readonly address: string
  /** Accepts no further requests; resolves when those in flight are done, after at most five seconds. */
  stop(): Promise<void>
}

const TLS = { minVersion: 'TLSv1.2' } as const
const LIMITS = { requestMs: 10_000, stopMs: 5_000 }

/** Status codes for errors of the HTTP parser. */
const STATUS_OF: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }
/** Others come from TLS or the connection: a response would wait for the end of a handshake. */
const PARSER_ERROR = /^(HPE_|ERR_HTTP_REQUEST_TIMEOUT$)/

/** @throws {Error} when it cannot listen on the address */
export async function startControlServer(options: ControlServerOptions): Promise<ControlServer> {
  let { certificate } = options
  const { requestMs, stopMs } = { ...LIMITS, ...options.limits }
  const server = createServer(
    {
      ...certificate,
      ...TLS,
      handshakeTimeout: requestMs,
      maxHeaderSize: 16 * 1024,
      headersTimeout: requestMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: 1000,
    },
    options.listener,
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const { code = '' } = error
    if (!socket.writable || !PARSER_ERROR.test(code)) return void socket.destroy()
    const { status, body } = problem(STATUS_OF[code] ?? 400)
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/problem+json\r\nConnection: close\r\n`
    socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  })
  // Node closes only those with a complete handshake.
  const connections = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  server.listen(options.port, options.host)
  await once(server, 'listening')
  const { address, port } = server.address() as AddressInfo
  return {
    address: `https://${isIPv6(address) ? `[${address}]` : address}:${port}`,
    get certificate() {
      return certificate
    },
    useCertificate(issued) {
      certificate = issued
      server.setSecureContext({ ...certificate, ...TLS })
    },
    async stop() {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      const forcedClose = setTimeout(() => {
        for (const socket of connections) socket.destroy()
      }, stopMs)
      await closed
      clearTimeout(forcedClose)
    },
  }
}
