// Requests that are queued for too long get a small 503 in the visitor's language, and service then recovers.
import assert from 'node:assert/strict'
import { EventEmitter, on, once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { Logger } from 'pino'
import type { Exchange } from '../../../src/portal/http/exchange.ts'
import { createLoadShedding } from '../../../src/portal/http/load-shedding.ts'
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

/** The status of a connection's response. */
async function statusOn(socket: Socket, target: string): Promise<string | undefined> {
  socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`)
  const [bytes] = await once(socket, 'data')
  return /^HTTP\/1\.1 (\d+)/.exec(String(bytes))?.[1]
}

/** The whole response with a page, as text. */
async function responseOn(socket: Socket, headers: string): Promise<string> {
  let text = ''
  socket.write(`GET ${PAGE} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`)
  for await (const [bytes] of on(socket, 'data')) {
    text += bytes
    if (text.includes('</html>')) break
  }
  return text.replaceAll('\r\n', '\n').replace('\n\n', '\r\n\r\n')
}

function block(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

/** The decisions alone, without a server. */
function startShedding() {
  const [server, lines, shed] = [new EventEmitter(), [] as object[], { 'event loop': 0 }]
  const log = { warn: (line: object, msg: string) => void lines.push({ ...line, msg }) } as unknown as Logger
  const shedding = createLoadShedding({ server: server as Server, log, shed, queued: () => 7 })
  const isShed = (milliseconds: number) =>
    shedding.shouldShed({ receivedAt: performance.now() - milliseconds } as Exchange)
  return { ...shedding, server, lines, isShed }
}

test('half a second in the queue is the limit', (t) => {
  const { isShed, figures, stop } = startShedding()
  t.after(stop)
  for (const milliseconds of [0, 300, 450]) assert.equal(isShed(milliseconds), false, `${milliseconds} ms`)
  for (const milliseconds of [501, 700, 60_000]) assert.equal(isShed(milliseconds), true, `${milliseconds} ms`)
  assert.deepEqual(figures(), { shed: 3, dropped: 0 })
})

test('a report once a second has what happened since the one before', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { isShed, server, lines, stop } = startShedding()
  isShed(600)
  isShed(600)
  server.emit('drop')
  t.mock.timers.tick(999)
  assert.deepEqual(lines, [])
  t.mock.timers.tick(1)
  assert.deepEqual(lines.splice(0), [{ shed: 2, dropped: 1, queued: 7, msg: 'overloaded' }])
  t.mock.timers.tick(5_000)
  assert.deepEqual(lines, [], 'nothing happened')
  isShed(600)
  t.mock.timers.tick(1_000)
  server.emit('drop')
  t.mock.timers.tick(1_000)
  assert.deepEqual(lines.splice(0), [
    { shed: 1, dropped: 0, queued: 7, msg: 'overloaded' },
    { shed: 0, dropped: 1, queued: 7, msg: 'overloaded' },
  ])
  isShed(600)
  stop()
  t.mock.timers.tick(5_000)
  assert.deepEqual(lines, [])
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
  assert.equal(await statusOn(first as Socket, PAGE), '200')
  for (const socket of others) socket.destroy()
  await until(() => portal.connections() === 1)
  assert.equal((await exchange(portal, PAGE)).status, 200)
})

test('requests queued for too long get 503, and then everything is served again', async (t) => {
  const portal = await startPortal(t)
  const sockets = await openConnections(t, portal.port, 80)
  await until(() => portal.connections() === 80)
  const responses = sockets.map((socket, index) => statusOn(socket, index === 79 ? '/healthz' : PAGE))
  await Promise.race(responses)
  block(600)
  const statuses = await Promise.all(responses)
  const served = statuses.filter((status) => status === '200').length
  assert.equal(statuses[79], '200', 'the liveness probe is served')
  assert.ok(served < 80, 'no request was shed')
  assert.equal(portal.load().shed, 80 - served)
  const lines = () => portal.logged().filter(({ msg }) => msg === 'overloaded')
  await until(() => lines().reduce((sum, { shed }) => sum + Number(shed), 0) === 80 - served)
  assert.equal(portal.tally.shed['event loop'], 80 - served)
  assert.equal(portal.tally.inFlight, 0)
  // The same connections are still usable.
  const later = await Promise.all(sockets.map((socket) => statusOn(socket, PAGE)))
  assert.deepEqual([...new Set(later)], ['200'])
})

test('the 503 is a small page in the visitor’s language, with the portal’s headers and nothing of the request', async (t) => {
  const portal = await startPortal(t)
  const sockets = await openConnections(t, portal.port, 80)
  await until(() => portal.connections() === 80)
  const responses = sockets.map((socket) => responseOn(socket, 'accept-language: de\r\nx-marker: zqmarker\r\n'))
  await Promise.race(responses)
  block(600)
  const shed = (await Promise.all(responses)).find((text) => text.startsWith('HTTP/1.1 503 '))
  assert.ok(shed, 'none was shed')
  const [head, body] = shed.split('\r\n\r\n') as [string, string]
  assert.match(head, /^retry-after: 5$/m)
  assert.match(head, /^content-language: de$/m)
  assert.match(head, /^cache-control: no-store$/m)
  assert.match(head, /^content-security-policy: default-src 'none'.*; frame-ancestors \*$/m)
  assert.doesNotMatch(head, /x-frame-options/)
  assert.match(body, /<html lang="de">.*<h1>Zurzeit überlastet/s)
  assert.ok(body.length < 1_500)
  assert.doesNotMatch(shed, /zqmarker|betting/)
})

test('a burst of connections is served without shedding', async (t) => {
  const portal = await startPortal(t)
  const sockets = await openConnections(t, portal.port, 200)
  const statuses = await Promise.all(sockets.map((socket) => statusOn(socket, PAGE)))
  assert.deepEqual([...new Set(statuses)], ['200'])
  assert.equal(portal.load().shed, 0)
})

test('a request whose browser disconnects in the queue is not handled', async (t) => {
  const portal = await startPortal(t)
  const sockets = await openConnections(t, portal.port, 200)
  await until(() => portal.connections() === 200)
  const responses = sockets.map((socket) => statusOn(socket, PAGE).catch(() => undefined))
  await Promise.race(responses)
  for (const socket of sockets) socket.resetAndDestroy()
  await until(() => portal.connections() === 0 && portal.tally.inFlight === 0)
  assert.ok(portal.logged().length < 150, `${portal.logged().length} were answered`)
})

test('no request is shed after a pause', async (t) => {
  const portal = await startPortal(t)
  const [asking] = (await openConnections(t, portal.port, 1)) as [Socket]
  for (let count = 0; count < 2; count++) {
    const status = statusOn(asking, PAGE)
    block(700)
    assert.equal(await status, '200')
  }
  assert.equal(portal.load().shed, 0)
})
