// A free port, for servers that cannot choose one themselves.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the ports of outgoing connections on Linux (from 32,768): one of those could take the port before the server does.
const FIRST = 20_000
const LAST = 32_767

/** @returns a port on which nothing listens at the moment */
export async function freePort(): Promise<number> {
  const port = randomInt(FIRST, LAST + 1)
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return await freePort()
    throw error
  }
  server.close()
  await once(server, 'close')
  return port
}
