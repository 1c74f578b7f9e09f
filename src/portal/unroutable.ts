// Requests that never reach a route, because the HTTP parser could not read them or because they want a tunnel: a bare
// answer, a log line that says nothing of the request, and the end of the connection.
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyBaseLogger } from 'fastify'

export function answerUnreadable({ code }: ConnectionError, socket: Socket, log: FastifyBaseLogger): void {
  // Not writable: more of a request that has its answer already.
  if (!socket.writable || code === 'ECONNRESET') socket.destroySoon()
  else refuse(socket, log, { route: 'unreadable', status: code === 'HPE_HEADER_OVERFLOW' ? 431 : 400, code })
}

/** For CONNECT, which Node keeps from every route. */
export function answerTunnel(socket: Socket, log: FastifyBaseLogger): void {
  refuse(socket, log, { route: 'tunnel', status: 405 })
}

function refuse(
  socket: Socket,
  log: FastifyBaseLogger,
  line: { readonly route: string; readonly status: number; readonly code?: string },
): void {
  const { status } = line
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  log.info(line, 'request')
  socket.destroySoon()
}
