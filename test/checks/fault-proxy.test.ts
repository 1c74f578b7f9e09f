// The proxy injects the faults that it promises.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type Fault, startFaultProxy } from '../../checks/chaos/fault-proxy.ts'
import { until } from '../support/until.ts'

const TEXT = 'one hundred bytes that are echoed without a change, unless a fault of the proxy changes them: 100'

interface Outcome {
  readonly received: string
  readonly end: string
}

/** @returns the bytes echoed through the fault, and the state of the connection */
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
  socket.write(TEXT)
  return () => ({ received, end })
}

test('none', async (t) => {
  const outcome = await echo(t, { kind: 'none' })
  await until(() => outcome().received === TEXT)
  assert.equal(outcome().end, 'open')
})

test('delay', async (t) => {
  const startedAt = performance.now()
  const outcome = await echo(t, { kind: 'delay', milliseconds: 200 })
  await until(() => outcome().received !== '')
  assert.ok(performance.now() - startedAt >= 199)
  assert.deepEqual(outcome(), { received: TEXT, end: 'open' })
})

test('black hole', async (t) => {
  const outcome = await echo(t, { kind: 'black hole' })
  const other = await echo(t, { kind: 'none' })
  await until(() => other().received === TEXT)
  assert.deepEqual(outcome(), { received: '', end: 'open' })
})

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
  assert.ok(outcome().received.length < TEXT.length / 2)
  assert.ok(TEXT.startsWith(outcome().received))
})

test('corrupt', async (t) => {
  const outcome = await echo(t, { kind: 'corrupt' })
  await until(() => outcome().received.length === TEXT.length)
  assert.notEqual(outcome().received, TEXT)
})
