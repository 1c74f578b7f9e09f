// The queue of requests: the oldest is served first. Those that are queued for too long get a small 503 in the visitor's
// language, and service then recovers.
import assert from 'node:assert/strict'
import { EventEmitter, on, once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { Logger } from 'pino'
import type { Exchange } from '../../../src/portal/http/exchange.ts'
import { createLoadShedding } from '../../../src/portal/http/load-shedding.ts'
import { createRequestQueue } from '../../../src/portal/http/request-queue.ts'
import { claims, verdictTarget } from '../../support/payloads.ts'
import { NOW, startPortal } from '../../support/portal.ts'
import { until } from '../../support/until.ts'
import { exchange, exchangeBytes } from '../exchange.ts'

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

/** Status and the whole text of a connection's response. */
async function respond(socket: Socket, target: string, headers = '') {
  let text = ''
  socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`)
  for await (const [bytes] of on(socket, 'data')) {
    text += bytes
    if (/<\/html>|\}$/.test(text)) break
  }
  return { status: text.slice(9, 12), text }
}

function block(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

test('half a second in the queue is the limit', (t) => {
  const shed = { 'event loop': 0 }
  const log = { warn() {} } as unknown as Logger
  const server = new EventEmitter() as Server
  const { shouldShed, figures, stop } = createLoadShedding({ server, log, shed, queued: () => 7 })
  t.after(stop)
  const isShed = (milliseconds: number) => shouldShed({ receivedAt: performance.now() - milliseconds } as Exchange)
  for (const milliseconds of [0, 300, 450]) assert.equal(isShed(milliseconds), false, `${milliseconds} ms`)
  for (const milliseconds of [501, 700, 60_000]) assert.equal(isShed(milliseconds), true, `${milliseconds} ms`)
  assert.deepEqual(figures(), { shed: 3, dropped: 0 })
})

test('a connection beyond the limit is closed, and one log line a second reports it', async (t) => {
  const portal = await startPortal(t, { capacity: { connections: 3 } })
  const [first, ...others] = await openConnections(t, portal.port, 3)
  await until(() => portal.connections() === 3)
  assert.equal(await exchangeBytes(portal, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'), '')
  assert.equal(portal.load().dropped, 1)
  const lines = () => portal.logged().filter(({ msg }) => msg === 'overloaded')
  await until(() => lines().length > 0)
  assert.deepEqual(lines()[0], { level: 40, shed: 0, dropped: 1, queued: 0, msg: 'overloaded' })
  assert.equal((await respond(first as Socket, PAGE)).status, '200')
  for (const socket of others) socket.destroy()
  await until(() => portal.connections() === 1)
  assert.equal((await exchange(portal, PAGE)).status, 200)
})

test('requests queued for too long get a small 503, and then everything is served again', async (t) => {
  const portal = await startPortal(t)
  const sockets = await openConnections(t, portal.port, 80)
  await until(() => portal.connections() === 80)
  const headers = 'accept-language: de\r\nx-marker: zqmarker\r\n'
  const responses = sockets.map((socket, index) => respond(socket, index === 79 ? '/healthz' : PAGE, headers))
  await Promise.race(responses)
  block(600)
  const answers = await Promise.all(responses)
  const served = answers.filter(({ status }) => status === '200').length
  assert.equal(answers[79]?.status, '200', 'the liveness probe is served')
  assert.equal(portal.load().shed, 80 - served)
  const lines = () => portal.logged().filter(({ msg }) => msg === 'overloaded')
  await until(() => lines().reduce((sum, { shed }) => sum + Number(shed), 0) === 80 - served)
  assert.equal(portal.tally.shed['event loop'], 80 - served)
  assert.equal(portal.tally.inFlight, 0)

  // In the visitor's language, with the portal's headers and nothing of the request.
  const shed = answers.find(({ status }) => status === '503') ?? assert.fail('none was shed')
  const [head = '', body = ''] = shed.text.split('\r\n\r\n')
  for (const line of ['retry-after: 5', 'content-language: de', 'cache-control: no-store']) {
    assert.match(head, new RegExp(`^${line}\\r$`, 'm'))
  }
  assert.match(head, /^content-security-policy: default-src 'none'.*; frame-ancestors \*\r$/m)
  assert.doesNotMatch(head, /x-frame-options/)
  assert.match(body, /<html lang="de">.*<h1>Zurzeit überlastet/s)
  assert.ok(body.length < 1_500)
  assert.doesNotMatch(shed.text, /zqmarker|betting/)

  // The same connections are still usable.
  for (const { status } of await Promise.all(sockets.map((socket) => respond(socket, PAGE))))
    assert.equal(status, '200')
})

test('a burst of connections is served without shedding', async (t) => {
  const portal = await startPortal(t)
  const sockets = await openConnections(t, portal.port, 200)
  for (const { status } of await Promise.all(sockets.map((socket) => respond(socket, PAGE))))
    assert.equal(status, '200')
  assert.equal(portal.load().shed, 0)
})

test('a request whose browser disconnects in the queue is not handled', async (t) => {
  const portal = await startPortal(t)
  const sockets = await openConnections(t, portal.port, 200)
  await until(() => portal.connections() === 200)
  const responses = sockets.map((socket) => respond(socket, PAGE).catch(() => undefined))
  await Promise.race(responses)
  for (const socket of sockets) socket.resetAndDestroy()
  await until(() => portal.connections() === 0 && portal.tally.inFlight === 0)
  assert.ok(portal.logged().length < 150, `${portal.logged().length} were answered`)
})

test('no request is shed after a pause', async (t) => {
  const portal = await startPortal(t)
  const [asking] = (await openConnections(t, portal.port, 1)) as [Socket]
  for (let count = 0; count < 2; count++) {
    const answered = respond(asking, PAGE)
    block(700)
    assert.equal((await answered).status, '200')
  }
  assert.equal(portal.load().shed, 0)
})

test('the oldest queued request is served first', async () => {
  const served: number[] = []
  const queue = createRequestQueue<number>(createServer(), (request) => {
    served.push(request)
    // Slow enough that the queue needs several iterations of the event loop.
    for (const end = performance.now() + 0.3; performance.now() < end; );
  })
  const requests = Array.from({ length: 50 }, (_, index) => index)
  for (const request of requests) queue.add(request)
  assert.equal(queue.size(), 49)
  await until(() => queue.size() === 0)
  assert.deepEqual(served, requests)
})
