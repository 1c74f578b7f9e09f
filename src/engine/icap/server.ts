// The ICAP listener: TCP or TLS, who may connect, time limits, and graceful shutdown.
import { once } from 'node:events'
import { type AddressInfo, createServer, isIPv6, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Logger } from 'pino'
import { type AddressRange, isFromOneOf } from '../../network/address-range.ts'
import { createRefusalLog } from '../monitoring/refusal-log.ts'
import { Connection } from './connection.ts'
import { type IcapLimits, LIMITS } from './limits.ts'
import { createService, type ServiceOptions } from './service.ts'

/** PEM. */
interface TlsPair {
  readonly cert: string | Buffer
  readonly key: string | Buffer
}

export interface IcapServerOptions extends ServiceOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** Undefined for plain TCP. */
  readonly tls: TlsPair | undefined
  /** Addresses that may connect; undefined for all. */
  readonly clients: readonly AddressRange[] | undefined
  readonly log: Logger
  readonly limits?: Partial<IcapLimits>
}

export interface IcapServer {
  /** `icap://127.0.0.1:1344`, or `icaps://…` with TLS. */
  readonly address: string
  /** New connections get this certificate; only for a listener with TLS. */
  useCertificate(tls: TlsPair): void
  /** Accepts no further requests; resolves when those in flight are done, or their time is over. */
  stop(): Promise<void>
}

const SWEEP_MS = 1000
const TLS = { minVersion: 'TLSv1.2' } as const

/** @throws {Error} when it cannot listen on the address, or the certificate and its key are unusable */
export async function startIcapServer(options: IcapServerOptions): Promise<IcapServer> {
  const { tls, clients, log } = options
  const limits = { ...LIMITS, ...options.limits }
  const service = createService(options)
  const logRefusal = createRefusalLog(log)
  const report = (problem: string, proxy: string | undefined) =>
    logRefusal('ICAP request refused', problem, { proxy, problem })
  const connections = new Map<Socket, Connection>()
  const sockets = new Set<Socket>()
  const clock = () => performance.now()
  const logError = (error: unknown) => {
    // Only the stack: an error about a URL has the URL as a member.
    log.error({ stack: error instanceof Error ? error.stack : String(error) }, 'unexpected error')
  }

  function serve(socket: Socket): void {
    const proxy = socket.remoteAddress
    connections.set(
      socket,
      new Connection({ socket, service, limits, clock, logError, report: (reason) => report(reason, proxy) }),
    )
    socket.on('close', () => connections.delete(socket))
    // The client has closed or reset the connection.
    socket.on('error', () => socket.destroy())
  }

  const common = { allowHalfOpen: true, noDelay: true, keepAlive: true }
  const tlsServer = tls && createTlsServer({ ...common, ...tls, ...TLS, handshakeTimeout: limits.requestMs }, serve)
  const server: Server = tlsServer ?? createServer(common, serve)
  server.maxConnections = limits.connections
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    if (isFromOneOf(clients, socket.remoteAddress)) return
    report('not in [icap] clients', socket.remoteAddress)
    socket.destroy()
  })
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    report(`no TLS connection (${error.code})`, socket.remoteAddress)
    // Node itself closes it after an error, but not when its time is over.
    socket.destroy()
  })
  server.on('drop', (dropped) => report('too many connections', dropped?.remoteAddress))
  server.listen(options.port, options.host)
  await once(server, 'listening')

  const sweep = () => {
    const now = clock()
    for (const connection of connections.values()) connection.expire(now)
  }
  const sweeping = setInterval(sweep, Math.min(SWEEP_MS, limits.requestMs / 4)).unref()
  const { address, port } = server.address() as AddressInfo
  return {
    address: `${tls === undefined ? 'icap' : 'icaps'}://${isIPv6(address) ? `[${address}]` : address}:${port}`,
    useCertificate(renewed) {
      tlsServer?.setSecureContext({ ...renewed, ...TLS })
    },
    async stop() {
      const closed = once(server, 'close')
      server.close()
      for (const connection of connections.values()) connection.stop()
      const forcedClose = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, limits.stopMs)
      await closed
      clearTimeout(forcedClose)
      clearInterval(sweeping)
    },
  }
}
