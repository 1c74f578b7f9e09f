// An engine that misbehaves on purpose: a bare TCP or TLS server that records every byte it receives, and sends exactly
// the bytes that a test chooses, when the test chooses.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

/** Handles a request once its head has arrived; `request` has one character per byte (latin1). */
export type Behaviour = (socket: Socket, request: string) => void

export interface EngineConnection {
  readonly socket: Socket
  /** Everything received so far, decrypted, as latin1. */
  readonly received: () => string
  readonly closed: Promise<unknown>
}

export interface HostileEngine {
  readonly url: string
  readonly port: number
  /** In order of arrival; with TLS, of the TCP connection. */
  readonly connections: readonly EngineConnection[]
  /** Sets the behaviour from now on. */
  behave(behaviour: Behaviour): void
  /** Closes all connections and the server. */
  close(): Promise<void>
}

export async function startHostileEngine(
  t: TestContext | undefined,
  behaviour: Behaviour,
  tls?: TlsOptions,
): Promise<HostileEngine> {
  let current = behaviour
  const connections: EngineConnection[] = []
  const sockets = new Set<Socket>()

  function handle(socket: Socket): void {
    let received = ''
    let answered = false
    // The tests reset connections on purpose.
    socket.on('error', () => {})
    sockets.add(socket)
    connections.push({
      socket,
      received: () => received,
      closed: new Promise((resolve) => socket.on('close', resolve)),
    })
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
      if (answered || !received.includes('\r\n\r\n')) return
      answered = true
      current(socket, received)
    })
  }

  const server: Server = tls === undefined ? createServer(handle) : createTlsServer(tls, handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const engine = {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    connections,
    behave(behaviour: Behaviour) {
      current = behaviour
    },
    async close() {
      if (!server.listening) return
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  t?.after(engine.close)
  return engine
}

/** Sends these bytes, then ends the connection. */
export function respondWith(bytes: string | Buffer): Behaviour {
  return (socket) => socket.end(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
}

/** The same, except that it has no health document, which a portal requests from time to time. */
export function withoutHealth(behaviour: Behaviour): Behaviour {
  return (socket, request) => {
    if (request.startsWith('GET /healthz ')) socket.end(rawResponse('404 Not Found'))
    else behaviour(socket, request)
  }
}

/** A complete response with a matching Content-Length: `rawResponse('404 Not Found', ['X-A: b'], 'text')`. */
export function rawResponse(status: string, headers: readonly string[] = [], body: string | Buffer = ''): Buffer {
  const bytes = Buffer.from(body)
  const head = [`HTTP/1.1 ${status}`, ...headers, `Content-Length: ${bytes.length}`, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes])
}

export function problemResponse(status: string, problem: object, headers: readonly string[] = []): Buffer {
  return rawResponse(status, ['Content-Type: application/problem+json', ...headers], JSON.stringify(problem))
}
