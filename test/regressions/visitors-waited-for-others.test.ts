// Stories of visitors of the portal whom others kept waiting, or took the place of; each suite is one.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { openLedger } from '../../src/ledger/ledger.ts'
import { acceptanceRequest, begun, NOW as LEDGER_NOW, newReference } from '../ledger/fixture.ts'
import {
  acceptanceOf,
  acknowledgement,
  assertOwnResponse,
  attemptsOf,
  startRelay,
} from '../portal/acknowledgement/relay.ts'
import { exchange } from '../portal/exchange.ts'
import { databases, query } from '../support/databases.ts'
import { claims, verdictTarget } from '../support/payloads.ts'
import { NOW, startPortal } from '../support/portal.ts'
import { until } from '../support/until.ts'

// Relay slots were assigned in the order of arrival. With a slow engine, three connections that repeated one
// acknowledgement, or one address with enough verdicts, held all of them, and the other visitors got 503: 5 of 52
// acknowledgements were relayed.
describe('one verdict took every relay slot', () => {
  const YES = 'HTTP/1.1 302 Found\r\nLocation: https://news.example/\r\nContent-Length: 0\r\n\r\n'
  const SLOTS = 8

  /** An engine that responds when the test releases it; visitors' addresses come from a trusted proxy. */
  async function startSlowEngine(t: TestContext) {
    const asked: (() => void)[] = []
    const relay = await startRelay(t, (socket) => asked.push(() => socket.end(YES)), {
      capacity: { relays: SLOTS, relaysPerClient: SLOTS / 2 },
      env: { GATEWAY_CAPTIVE_TRUSTED_PROXIES: '127.0.0.1' },
    })
    const acknowledge = (target: string, address: string) =>
      exchange(relay.portal, target, { 'X-Forwarded-For': address })
    return { ...relay, asked, acknowledge, isAsked: (times: number) => until(() => asked.length === times) }
  }

  test('it has one request in flight and one waiting; the newest replaces the waiting one', async (t) => {
    const { portal, asked, acknowledge, isAsked } = await startSlowEngine(t)
    const { target, reference } = acknowledgement()
    const first = acknowledge(target, '192.0.2.1')
    await isAsked(1)
    let newest = acknowledge(target, '192.0.2.2')
    await until(() => portal.load().relaysWaiting === 1)
    for (let count = 0; count < 20; count++) {
      const replaced = newest
      newest = acknowledge(target, `192.0.2.${3 + count}`)
      const answered = await replaced
      assert.equal(answered.status, 503)
      assert.equal(answered.headers.get('retry-after'), '1')
      assertOwnResponse(answered, 'page')
      assert.match(answered.body, /You continued more than once/)
      assert.match(answered.body, /class="primary"/, 'with the link back')
    }
    assert.deepEqual([portal.load().relays, portal.load().relaysWaiting, asked.length], [1, 1, 1])

    const other = acknowledge(acknowledgement().target, '192.0.2.1')
    await isAsked(2)
    asked[1]?.()
    assert.equal((await other).status, 302, 'another verdict of the same visitor')

    asked[0]?.()
    assert.equal((await first).status, 302)
    await isAsked(3)
    asked[2]?.()
    assert.equal((await newest).status, 302)
    assert.deepEqual(attemptsOf(portal, reference), [302, 302])
    assert.equal(acceptanceOf(portal, reference)?.state, 'accepted')
    assert.deepEqual([portal.load().relays, portal.load().relaysWaiting], [0, 0])
  })

  for (const [name, addresses, others] of [
    ['one IPv4 address, mapped too', ['192.0.2.1', '::ffff:192.0.2.1'], ['192.0.2.2', '2001:db8::1']],
    [
      'one IPv6 /64',
      ['2001:db8:0:7::1', '2001:db8:0:7:ffff:ffff:ffff:ffff', '2001:DB8::7:1:2:3:4'],
      ['2001:db8:0:8::1', '192.0.2.1'],
    ],
  ] as const) {
    test(`${name} holds at most half of the slots`, async (t) => {
      const { portal, asked, acknowledge, isAsked } = await startSlowEngine(t)
      const warn = (of: readonly string[], index: number) =>
        acknowledge(acknowledgement({ kind: 'warn' }).target, of[index % of.length] as string)
      const indexes = Array.from({ length: SLOTS / 2 }, (_, index) => index)
      const held = indexes.map((index) => warn(addresses, index))
      await isAsked(SLOTS / 2)
      for (let index = 0; index < 2 * addresses.length; index++) {
        const { status, headers } = await warn(addresses, index)
        assert.deepEqual([status, headers.get('retry-after')], [503, '5'])
      }
      const rest = indexes.map((index) => warn(others, index))
      await isAsked(SLOTS)
      for (const respond of asked) respond()
      for (const one of [...held, ...rest]) assert.equal((await one).status, 302)
      const again = warn(addresses, 0)
      await isAsked(SLOTS + 1)
      asked[SLOTS]?.()
      assert.equal((await again).status, 302)
      const reasons = portal.logged().flatMap(({ outcome, reason }) => (outcome === 'overloaded' ? [reason] : []))
      assert.deepEqual(reasons, Array(2 * addresses.length).fill('client address'))
      assert.equal(portal.tally.shed['client address'], 2 * addresses.length)
    })
  }
})

// The event loop accepts one connection per iteration, and handled all requests that had arrived in between. With a few
// hundred connections that sent the next request at once, a new visitor waited seconds to be accepted, out of reach of
// any limit.
test('new connections waited behind busy ones', async (t) => {
  const REQUEST = `GET ${verdictTarget(claims(NOW))} HTTP/1.1\r\nHost: a\r\n\r\n`
  const [BUSY, NEW] = [300, 100]
  const portal = await startPortal(t)
  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  const send = async () => {
    const socket = connect(portal.port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(REQUEST)
    await once(socket, 'data')
    return socket
  }
  for (let count = 0; count < BUSY; count++) {
    void send().then((socket) => {
      socket.on('data', (bytes) => bytes.includes('</html>') && socket.write(REQUEST))
      socket.write(REQUEST)
    })
  }
  await until(() => portal.connections() === BUSY)

  const answered = portal.logged().length
  await Promise.all(Array.from({ length: NEW }, send))
  const meanwhile = portal.logged().length - answered
  // Accepted one by one behind all the others, each would wait for three hundred responses.
  assert.ok(meanwhile < NEW * 20, `${meanwhile} responses were sent before all new connections had one`)
})

// For each response of the engine the ledger read every attempt of its verdict. A payload opens for as long as its
// secret is in use, and each acknowledgement of it is an attempt, so a visitor with one old payload could slow down
// every further response: 190 ms with half a million attempts, in the only thread for acceptances. Now a verdict has at
// most 50 attempts; a ledger with more attempts rejects the next one as fast as it recorded the first.
test('a million attempts slowed the ledger', async (t) => {
  const ATTEMPTS = 250_000
  const location = await (databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()).create(t)
  const ledger = await openLedger(location, { clock: () => LEDGER_NOW, migrate: true })
  t.after(() => ledger.close())
  const [crowded, fresh] = [newReference(), newReference()]
  const quickest = async (reference: string) => {
    const times: number[] = []
    for (let round = 0; round < 5; round++) {
      const startedAt = performance.now()
      const attempt = await ledger.beginAttempt(acceptanceRequest({ reference }))
      if (attempt !== 'exhausted') await ledger.completeAttempt(attempt, 410)
      times.push(performance.now() - startedAt)
    }
    return Math.min(...times)
  }
  const before = await quickest(fresh)
  await ledger.completeAttempt(begun(await ledger.beginAttempt(acceptanceRequest({ reference: crowded }))), 410)
  await query(
    location,
    `with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${ATTEMPTS})
     insert into attempt (id, jti, asked_at, answered_at, engine_status)
     select 'attempt-' || i, '${crowded}', '2026-11-20', '2026-11-20', 410 from numbers`,
  )
  await query(location, `update acceptance set attempts = ${ATTEMPTS + 1} where jti = '${crowded}'`)
  const after = await quickest(crowded)
  assert.ok(after < before + 60, `${after} ms, at first ${before} ms`)
  const rows = await query(location, `select distinct state from acceptance where jti = '${crowded}'`)
  assert.deepEqual(rows, [{ state: 'refused' }])
})
