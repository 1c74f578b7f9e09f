// An engine that misbehaves on purpose: a bare TCP or TLS server that keeps every byte it was sent and answers with the
// very bytes that a test wants, when the test wants.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

/** What the engine does once it has a request's head, which is given byte for byte (latin1). */
export type Behaviour = (socket: Socket, request: string) => void

export interface EngineConnection {
  readonly socket: Socket
  /** Everything that came in so far, decrypted, as latin1. */
  readonly received: () => string
  readonly closed: Promise<unknown>
}

export interface HostileEngine {
  readonly url: string
  readonly port: number
  /** In the order of their coming; a TLS one counts from its TCP connection on. */
  readonly connections: readonly EngineConnection[]
  /** From now on. */
  behave(behaviour: Behaviour): void
  /** Ends what is open, and is gone. */
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

  function meet(socket: Socket): void {
    let received = ''
    let answered = false
    // Resets are what these tests are about.
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

  const server: Server = tls === undefined ? createServer(meet) : createTlsServer(tls, meet)
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

/** Says this and nothing more, then ends the connection. */
export function answering(bytes: string | Buffer): Behaviour {
  return (socket) => socket.end(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
}

/** A whole answer with a body of this length: `answer('404 Not Found', ['X-A: b'], 'text')`. */
export function answer(status: string, headers: readonly string[] = [], body: string | Buffer = ''): Buffer {
  const bytes = Buffer.from(body)
  const head = [`HTTP/1.1 ${status}`, ...headers, `Content-Length: ${bytes.length}`, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes])
}

export function problemAnswer(status: string, problem: object, headers: readonly string[] = []): Buffer {
  return answer(status, ['Content-Type: application/problem+json', ...headers], JSON.stringify(problem))
}
