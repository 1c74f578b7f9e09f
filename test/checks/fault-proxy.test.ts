// The proxy does to a connection what it says.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Fault, startFaultProxy } from '../../checks/chaos/fault-proxy.ts'
import { until } from '../support/until.ts'

const WORDS = 'a hundred bytes that come back as they went, unless something on the way does not want them to: 100'

interface Outcome {
  readonly received: string
  readonly end: string
}

/** What has come back through the fault, and how it ended. */
async function echo(t: TestContext, fault: Fault): Promise<() => Outcome> {
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
  return () => ({ received, end })
}

/** Nothing comes within this time; a wait that ends early would show nothing. */
const SILENCE_MILLISECONDS = 300

test('none', async (t) => {
  const outcome = await echo(t, { kind: 'none' })
  await until(() => outcome().received === WORDS)
  assert.equal(outcome().end, 'open')
})

for (const fault of [{ kind: 'delay', milliseconds: 2_000 }, { kind: 'black hole' }] as const) {
  test(fault.kind, async (t) => {
    const outcome = await echo(t, fault)
    await sleep(SILENCE_MILLISECONDS)
    assert.deepEqual(outcome(), { received: '', end: 'open' })
  })
}

test('half-close', async (t) => {
  const outcome = await echo(t, { kind: 'half-close' })
  await until(() => outcome().end === 'ended')
  assert.equal(outcome().received, '')
})

test('reset', async (t) => {
  const outcome = await echo(t, { kind: 'reset' })
  await until(() => outcome().end !== 'open')
  assert.match(outcome().end, /ECONNRESET|EPIPE/)
})

test('drip', async (t) => {
  const outcome = await echo(t, { kind: 'drip', milliseconds: 20 })
  await until(() => outcome().received.length > 0)
  assert.ok(outcome().received.length < WORDS.length / 2)
  assert.ok(WORDS.startsWith(outcome().received))
})

test('corrupt', async (t) => {
  const outcome = await echo(t, { kind: 'corrupt' })
  await until(() => outcome().received.length === WORDS.length)
  assert.notEqual(outcome().received, WORDS)
})
