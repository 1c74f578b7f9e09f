// The listener: who may connect, TLS, its limits on real sockets, and stopping.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import type { Decision } from '../../../src/engine/engine.ts'
import { parseAddressRange } from '../../../src/network/address-range.ts'
import { makeServed } from '../../support/certificates.ts'
import { until } from '../../support/until.ts'
import { ask, talk } from './icap-client.ts'
import { responsesOf, statusesOf } from './in-memory.ts'
import { chunked, get, hosts, OPTIONS, reqmod } from './messages.ts'
import { startIcap } from './running-icap.ts'

const ranges = (...texts: string[]) => texts.flatMap((text) => parseAddressRange(text) ?? [])

test('only addresses of clients may connect', async (t) => {
  const open = await startIcap(t, { clients: ranges('192.0.2.0/24', '127.0.0.0/8') })
  assert.deepEqual(
    (await ask(open.port, OPTIONS)).map(({ status }) => status),
    [200],
  )
  const closed = await startIcap(t, { clients: ranges('192.0.2.0/24') })
  const socket = connect(closed.port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'close')
  assert.deepEqual(closed.logged, [
    { proxy: '127.0.0.1', problem: 'not in [icap] clients', msg: 'ICAP request refused' },
  ])
})

test('over TLS', async (t) => {
  const { ca, leaf } = makeServed('localhost')
  const { port, address, logged } = await startIcap(t, { tls: { cert: leaf.certificate, key: leaf.key } })
  assert.equal(address, `icaps://127.0.0.1:${port}`)
  const secure = () => connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca: ca.certificate })
  const POST = get('http://open.example/', 'POST')
  const body = 'x'.repeat(300_000)
  const responses = responsesOf(await talk(secure(), OPTIONS + reqmod({ http: POST, body: chunked(body) }) + reqmod()))
  assert.deepEqual(
    responses.map(({ status, body: { length } = '' }) => [status, length]),
    [
      [200, 0],
      [200, 300_000],
      [200, 0],
    ],
  )
  const [asked] = responsesOf(await talk(secure(), hosts(['open.example'])))
  assert.match(asked?.head ?? '', /\r\nX-Ruled: no\r\n/)
  // Plain text on the TLS port.
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  assert.equal(statusesOf(await talk(socket, OPTIONS)).length, 0)
  assert.match(String(logged[0]?.problem), /^no TLS connection/)
})

test('connections beyond the limit are closed', async (t) => {
  const { port, logged } = await startIcap(t, { limits: { connections: 2 } })
  const held = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  t.after(async () => held.map((socket) => socket.destroy()))
  for (const socket of held) {
    socket.write(OPTIONS)
    await once(socket, 'data')
  }
  const third = connect(port, '127.0.0.1')
  third.on('error', () => {})
  await once(third, 'close')
  assert.equal(logged[0]?.problem, 'too many connections')
  held[0]?.destroy()
  await until(async () => (await ask(port, OPTIONS).catch(() => [])).length === 1)
})

test('stop answers what is in flight, closes idle connections, and returns', async (t) => {
  let settle: (decision: Decision) => void = () => {}
  const decide = () =>
    new Promise<Decision>((resolve) => {
      settle = resolve
    })
  const server = await startIcap(t, { decide })
  const idle = connect(server.port, '127.0.0.1')
  idle.write(OPTIONS)
  await once(idle, 'data')
  const busy = connect(server.port, '127.0.0.1')
  busy.write(reqmod({ fields: ['Allow: 204'] }))
  await until(() => settle.length === 1)
  const stopping = server.stop()
  await once(idle, 'end')
  settle({ verdict: 'allow', rule: undefined, session: false })
  const [response] = await once(busy, 'data')
  assert.deepEqual(statusesOf(response.toString()), [204])
  await once(busy, 'end')
  await stopping
})

test('a client that resets its connection does no harm', async (t) => {
  const { port } = await startIcap(t)
  for (const message of [
    '',
    reqmod().slice(0, 50),
    reqmod({ http: get('http://open.example/', 'POST'), body: '5\r\nab' }),
  ]) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(message)
    socket.resetAndDestroy()
    await once(socket, 'close')
  }
  assert.deepEqual(
    (await ask(port, OPTIONS)).map(({ status }) => status),
    [200],
  )
})
