// A portal that is found by name: it may come up after the terminator, go away, and come back under another address.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPublishing } from '../engine/publishing.ts'
import { skipWithoutStream, startTerminator } from '../support/terminator.ts'
import { ask } from './client.ts'
import { startDnsServer } from './dns-server.ts'

interface Replica {
  readonly port: number
  readonly connections: number
  close(): Promise<void>
}

/** Answers every request with its address, and keeps connections for five seconds, as Node does by itself. */
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

test('a portal under another address is found within seconds, and connections to it are kept', {
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
    const { status, body } = await ask(origin, '/?p=zqpayload')
    return status === 200 ? body : status
  }
  /** Milliseconds until the answer is this one, asking ten times a second. */
  const until = async (answer: string) => {
    const begin = Date.now()
    while ((await get()) !== answer) {
      assert.ok(Date.now() - begin < 10_000, `no ${answer}`)
      await sleep(100)
    }
    return Date.now() - begin
  }

  assert.equal(await get(), 503, 'there is no such name yet')
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
