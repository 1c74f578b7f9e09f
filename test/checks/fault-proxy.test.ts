// The proxy does to a connection what it says.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Fault, startFaultProxy } from '../../checks/chaos/fault-proxy.ts'

const WORDS = 'a hundred bytes that come back as they went, unless something on the way does not want them to: 100'

/** What comes back through the fault within a while, and how it ended. */
async function echo(t: TestContext, fault: Fault, milliseconds = 300) {
  const server = createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const proxy = await startFaultProxy({ port: (server.address() as AddressInfo).port })
  t.after(proxy.close)
  const socket = connect(proxy.port, '127.0.0.1')
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  proxy.set(fault)
  let received = ''
  let end = 'open'
  socket.on('data', (bytes) => {
    received += bytes
  })
  socket.on('end', () => {
    end = 'ended'
  })
  socket.on('error', ({ message }) => {
    end = message
  })
  socket.write(WORDS)
  await sleep(milliseconds)
  return { received, end }
}

const outcomes: readonly (readonly [Fault, (outcome: Awaited<ReturnType<typeof echo>>) => void])[] = [
  [{ kind: 'none' }, (outcome) => assert.deepEqual(outcome, { received: WORDS, end: 'open' })],
  [{ kind: 'delay', milliseconds: 2_000 }, (outcome) => assert.deepEqual(outcome, { received: '', end: 'open' })],
  [{ kind: 'black hole' }, (outcome) => assert.deepEqual(outcome, { received: '', end: 'open' })],
  [{ kind: 'half-close' }, (outcome) => assert.deepEqual(outcome, { received: '', end: 'ended' })],
  [{ kind: 'reset' }, ({ end }) => assert.match(end, /ECONNRESET|EPIPE/)],
  [
    { kind: 'drip', milliseconds: 20 },
    ({ received }) => {
      assert.ok(received.length > 0 && received.length < WORDS.length / 2)
      assert.ok(WORDS.startsWith(received))
    },
  ],
  [
    { kind: 'corrupt' },
    ({ received }) => {
      assert.equal(received.length, WORDS.length)
      assert.notEqual(received, WORDS)
    },
  ],
]
for (const [fault, check] of outcomes) {
  test(fault.kind, async (t) => check(await echo(t, fault)))
}
