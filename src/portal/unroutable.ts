// Requests that never reach a route, because the HTTP parser could not read them or because they want a tunnel: a bare
// answer, a log line that says nothing of the request, and the end of the connection.
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

/** `code` is the parser's. */
interface Unroutable {
  readonly route: 'unreadable' | 'tunnel'
  readonly status: number
  readonly code?: string | undefined
}

export type LogUnroutable = (line: Unroutable) => void

const STATUS_OF: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }

export function answerUnreadable({ code }: NodeJS.ErrnoException, socket: Socket, log: LogUnroutable): void {
  // Not writable: more of a request that has its answer already.
  if (!socket.writable || code === 'ECONNRESET') socket.destroySoon()
  else refuse(socket, log, { route: 'unreadable', status: STATUS_OF[code ?? ''] ?? 400, code })
}

/** For CONNECT, which Node keeps from every route. */
export function answerTunnel(socket: Socket, log: LogUnroutable): void {
  // Node has let go of this socket: nobody else would hear that its browser is gone, and that ends the process.
  socket.on('error', () => {})
  refuse(socket, log, { route: 'tunnel', status: 405 })
}

function refuse(socket: Socket, log: LogUnroutable, line: Unroutable): void {
  const { status } = line
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  log(line)
  socket.destroySoon()
}
