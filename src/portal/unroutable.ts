// What the HTTP parser could not read: a bare answer, and the end of the connection.

import type { Socket } from 'node:net'
import type { ConnectionError } from 'fastify'

export function answerParserError(error: ConnectionError, socket: Socket): void {
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
  if (socket.writable && error.code !== 'ECONNRESET') {
    socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  }
  socket.destroySoon()
}
