// More connections than can be served, or requests that wait too long for their turn: a small 503 in the visitor's
// language, and then service as before.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { claims, verdictTarget } from '../support/payloads.ts'
import { NOW, startPortal } from '../support/portal.ts'
import { until } from '../support/until.ts'
import { exchange, exchangeBytes } from './exchange.ts'

const PAGE = verdictTarget(claims(NOW))

async function openConnections(t: TestContext, port: number, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  for (const socket of sockets) socket.on('error', () => {})
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  return sockets
}

/** The status that a connection is answered with. */
async function statusOn(socket: Socket, target: string): Promise<string | undefined> {
  socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`)
  const [bytes] = await once(socket, 'data')
  return /^HTTP\/1\.1 (\d+)/.exec(String(bytes))?.[1]
}

function block(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

test('a connection more than can be served gets one 503; those before it are served', async (t) => {
  const portal = await startPortal(t, { capacity: { connections: 8, turnedAway: 4 } })
  const [first, ...others] = await openConnections(t, portal.port, 8)
  await until(() => portal.load().connections === 8)

  const headers = { 'accept-language': 'de', connection: 'keep-alive', 'x-marker': 'zqmarker' }
  const answer = await exchange(portal, PAGE, headers)
  assert.equal(answer.status, 503)
  assert.equal(answer.headers.get('retry-after'), '5')
  assert.equal(answer.headers.get('connection'), 'close')
  assert.equal(answer.headers.get('content-language'), 'de')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none'.*; frame-ancestors \*$/)
  assert.equal(answer.headers.get('x-frame-options'), undefined)
  assert.match(answer.body, /<html lang="de">.*<h1>Zurzeit überlastet/s)
  assert.ok(answer.body.length < 1_500, 'it is small')
  assert.doesNotMatch(answer.body, /zqmarker|betting/)
  assert.equal((await exchange(portal, '/healthz')).status, 200, 'whether it lives is still said')
  assert.equal(await statusOn(first as Socket, PAGE), '200')

  for (const socket of others) socket.destroy()
  await until(() => portal.load().connections === 1)
  assert.equal((await exchange(portal, PAGE)).status, 200)
  assert.equal(portal.load().shed, 1)
})

test('what comes beyond those is dropped, and said in one line', async (t) => {
  const portal = await startPortal(t, { capacity: { connections: 2, turnedAway: 1 } })
  await openConnections(t, portal.port, 3)
  await until(() => portal.load().connections === 3)
  assert.equal(await exchangeBytes(portal, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'), '')
  assert.equal(portal.load().dropped, 1)
  const lines = () => portal.logged().filter(({ msg }) => msg === 'overloaded')
  await until(() => lines().length > 0)
  assert.deepEqual(lines()[0], { level: 40, shed: 0, dropped: 1, connections: 3, waiting: 0, msg: 'overloaded' })
})

test('what has waited too long for its turn is answered 503, and then everything is served again', async (t) => {
  const portal = await startPortal(t)
  const sockets = await openConnections(t, portal.port, 80)
  await until(() => portal.load().connections === 80)
  const answers = sockets.map((socket, index) => statusOn(socket, index === 79 ? '/healthz' : PAGE))
  await Promise.race(answers)
  block(600)
  const statuses = await Promise.all(answers)
  const served = statuses.filter((status) => status === '200').length
  assert.equal(statuses[79], '200', 'whether it lives is still said')
  assert.ok(served < 80, 'nobody was turned away')
  assert.equal(portal.load().shed, 80 - served)
  assert.equal(portal.tally.shed['event loop'], 80 - served)
  assert.equal(portal.tally.inFlight, 0)
  // The same connections go on.
  const later = await Promise.all(sockets.map((socket) => statusOn(socket, PAGE)))
  assert.deepEqual([...new Set(later)], ['200'])
})

test('a crowd that comes at once is served, nobody is turned away', async (t) => {
  const portal = await startPortal(t)
  const sockets = await openConnections(t, portal.port, 200)
  const statuses = await Promise.all(sockets.map((socket) => statusOn(socket, PAGE)))
  assert.deepEqual([...new Set(statuses)], ['200'])
  assert.equal(portal.load().shed, 0)
})

test('whoever goes away before its turn costs nothing', async (t) => {
  const portal = await startPortal(t)
  const sockets = await openConnections(t, portal.port, 200)
  await until(() => portal.load().connections === 200)
  const answers = sockets.map((socket) => statusOn(socket, PAGE).catch(() => undefined))
  await Promise.race(answers)
  for (const socket of sockets) socket.resetAndDestroy()
  await until(() => portal.load().connections === 0 && portal.tally.inFlight === 0)
  assert.ok(portal.logged().length < 150, `${portal.logged().length} were answered`)
})

test('a pause turns nobody away', async (t) => {
  const portal = await startPortal(t)
  const [asking] = (await openConnections(t, portal.port, 1)) as [Socket]
  for (let count = 0; count < 2; count++) {
    const status = statusOn(asking, PAGE)
    block(700)
    assert.equal(await status, '200')
  }
  assert.equal(portal.load().shed, 0)
})
