// A portal resolved by name: it may start after the terminator, stop, and come back at another address.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPublishing } from '../engine/publishing.ts'
import { skipWithoutStream, startTerminator } from '../support/terminator.ts'
import { send } from './client.ts'
import { startDnsServer } from './dns-server.ts'

interface Replica {
  readonly port: number
  readonly connections: number
  close(): Promise<void>
}

/** Responds with its address, and keeps connections alive for five seconds, Node's default. */
async function startReplica(t: TestContext, address: string, port: number): Promise<Replica> {
  let connections = 0
  const server = createServer((_, response) => response.end(address))
  server.on('connection', () => connections++)
  server.listen(port, address)
  await once(server, 'listening')
  const replica = {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections
    },
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
  t.after(replica.close)
  return replica
}

test('a portal at another address is found within seconds, and connections to it are kept', {
  skip: skipWithoutStream,
}, async (t) => {
  const { folder, publish } = await startPublishing(t)
  await publish({ portalHost: 'localhost' })
  const first = await startReplica(t, '127.0.0.1', 0)
  const dns = await startDnsServer(t, 'portal.internal')
  const terminator = await startTerminator(t, {
    portal: `portal.internal:${first.port}`,
    leaf: `${folder}/terminator`,
    resolver: dns.address,
  })
  const origin = `http://localhost:${terminator.httpPort}`
  const get = async () => {
    const { status, body } = await send(origin, '/?p=zqpayload')
    return status === 200 ? body : status
  }
  /** Polls ten times a second. @returns milliseconds until the expected response */
  const until = async (expected: string) => {
    const begin = Date.now()
    while ((await get()) !== expected) {
      assert.ok(Date.now() - begin < 10_000, `no ${expected}`)
      await sleep(100)
    }
    return Date.now() - begin
  }

  assert.equal(await get(), 503, 'the name does not exist yet')
  dns.answer('127.0.0.1')
  assert.ok((await until('127.0.0.1')) < 5_000)
  const before = first.connections
  for (let count = 0; count < 50; count++) assert.equal(await get(), '127.0.0.1')
  assert.ok(first.connections - before <= 2, `${first.connections - before} connections for 50 requests`)

  await first.close()
  assert.equal(await get(), 503)
  await startReplica(t, '127.0.0.2', first.port)
  dns.answer('127.0.0.2')
  assert.ok((await until('127.0.0.2')) < 5_000)

  assert.match(terminator.logText(), /portal\.internal could not be resolved/)
  assert.match(terminator.logText(), /connect\(\) failed .* while connecting to upstream/)
  assert.doesNotMatch(terminator.logText(), /zqpayload|client:/)
})
