// The sites of the attempts: counts every byte that reaches them, and knows the hosts that are named in them, in clear text and
// within TLS.
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import type { MadeCertificate } from '../../test/support/certificates.ts'
import type { Cleanup } from '../../test/support/cleanup.ts'
import { listen } from '../../test/support/listen.ts'

/** A connection, and what it has received, a character per byte. */
interface Arrived {
  readonly port: number
  text: string
  /** Within TLS. */
  decrypted: string
}

export interface Origin {
  /** Oldest first. */
  readonly arrived: readonly Arrived[]
  /** Receives connections of a listening server, https on all ports but 80. */
  serve(server: Server, port: number): void
}

export async function startOrigin(t: Cleanup, { certificate, key }: MadeCertificate): Promise<Origin> {
  const arrived: Arrived[] = []
  const servers: Server[] = []
  /** By the port of the inner connection. */
  const encrypted = new Map<number, Arrived>()
  const tls = createTlsServer({ cert: certificate, key }, (socket: TLSSocket) => {
    const one = encrypted.get(socket.remotePort ?? 0)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      if (one !== undefined) one.decrypted += chunk.toString('latin1')
    })
    respond(socket)
  })
  tls.on('tlsClientError', () => {})
  const tlsPort = await listen(t, tls)
  t.after(async () => {
    for (const server of servers) server.close()
  })

  function accept(socket: Socket, port: number): void {
    const one: Arrived = { port, text: '', decrypted: '' }
    arrived.push(one)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      one.text += chunk.toString('latin1')
    })
    if (port === 80) {
      respond(socket)
      return
    }
    const inner = connect(tlsPort, '127.0.0.1', () => encrypted.set(inner.localPort ?? 0, one))
    socket.pipe(inner).pipe(socket)
    inner.on('error', () => {})
    // Also after a reset, which no pipe passes on.
    inner.on('close', () => socket.destroy())
    socket.on('close', () => inner.destroy())
  }

  return {
    arrived,
    serve(server, port) {
      servers.push(server)
      server.on('connection', (socket: Socket) => accept(socket, port))
    },
  }
}

/** Responds to everything that has a head, CONNECT and unknown methods included, and keeps the connection. */
function respond(socket: Socket): void {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    const end = text.lastIndexOf('\r\n\r\n')
    if (end === -1) return
    text = text.slice(end + 4)
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  })
}

/** Listens on an address of this machine. */
export async function listenHere(t: Cleanup, host: string, port: number): Promise<Server> {
  const server = createServer()
  server.listen(port, host)
  await once(server, 'listening')
  t.after(async () => server.close())
  return server
}
