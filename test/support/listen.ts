// A test's own server, on a free port of loopback.
import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import type { Cleanup } from './cleanup.ts'

/** Closes it and its connections after the test. @returns its port */
export async function listen(t: Cleanup, server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host)
  await once(server, 'listening')
  t.after(async () => {
    if ('closeAllConnections' in server) (server as { closeAllConnections(): void }).closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
