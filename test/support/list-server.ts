// The operator's web server that a revocation list is fetched from: plain http, and this one file.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Cleanup } from './cleanup.ts'

/** @param file is asked at each request: the list is published after its address is known */
export async function startListServer(t: Cleanup, file: () => string): Promise<string> {
  const server = createServer(async (_, response) => {
    response.writeHead(200, { 'content-type': 'application/pkix-crl' }).end(await readFile(file()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/gateway.crl`
}
