// With a slow engine, acknowledgements occupy all slots: further ones get 503 immediately and are not recorded, and pages are
// served. Those that wait for an earlier one of the same verdict, what ends the wait, and that slots are always freed.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { LedgerUnavailable } from '../../../src/ledger/ledger-unavailable.ts'
import { rawResponse, respondWith, startHostileEngine } from '../../support/hostile-engine.ts'
import { claims, verdictTarget } from '../../support/payloads.ts'
import { NOW, type PortalOptions, startPortal } from '../../support/portal.ts'
import { until } from '../../support/until.ts'
import { exchange } from '../exchange.ts'
import {
  acceptancesOf,
  acknowledgement,
  assertOwnResponse,
  attemptsOf,
  getBytes,
  PASSPHRASE,
  startRelay,
} from './relay.ts'

const YES = rawResponse('302 Found', ['Location: https://news.example/'])

/** An engine that responds when the test calls `asked`. */
async function startSlowEngine(t: TestContext, options: PortalOptions = {}) {
  const asked: (() => void)[] = []
  const relay = await startRelay(t, (socket) => asked.push(() => socket.end(YES)), options)
  return { ...relay, asked }
}

const linesOf = (portal: Awaited<ReturnType<typeof startRelay>>['portal'], reference: string) =>
  portal.logged().filter((line) => line.reference === reference)

test('a slow engine: all slots wait, further requests get 503 immediately, and pages are served', async (t) => {
  const { portal, engine, asked } = await startSlowEngine(t, { capacity: { relays: 4 } })
  const warning = () => exchange(portal, acknowledgement({ kind: 'warn' }).target)
  const held = Array.from({ length: 4 }, warning)
  await until(() => asked.length === 4)

  const begunAt = performance.now()
  for (const changes of [{ kind: 'warn' }, {}] as const) {
    const refused = await exchange(portal, acknowledgement(changes).target, { 'accept-language': 'fr' })
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5'])
    assertOwnResponse(refused, 'page')
    assert.match(refused.body, /Trop de demandes/)
    assert.match(refused.body, /class="primary"/, 'with the way back')
  }
  const { target } = acknowledgement({ kind: 'warn', ...PASSPHRASE })
  const problem = await exchange(portal, target, { 'x-override-code': 'x' })
  assert.equal(problem.status, 503)
  assertOwnResponse(problem, 'problem')
  assert.equal((await exchange(portal, verdictTarget(claims(NOW)))).status, 200)
  assert.ok(performance.now() - begunAt < 2_000)
  assert.equal(engine.connections.length, 4)
  assert.equal(acceptancesOf(portal), 0)
  assert.equal(portal.load().relaysRefused, 3)
  const notSent = portal.logged().filter(({ outcome }) => outcome === 'overloaded')
  assert.deepEqual(
    notSent.map(({ event, status, kind }) => [event, status, kind]),
    ['warn', 'aup', 'warn'].map((kind) => ['acknowledgement', 503, kind]),
  )

  for (const respond of asked) respond()
  for (const one of held) assert.equal((await one).status, 302)
  const next = warning()
  await until(() => asked.length === 5)
  asked[4]?.()
  assert.equal((await next).status, 302)
  assert.equal(portal.load().relays, 0)
})

test('a waiting request whose browser disconnects is dropped, neither recorded nor sent', async (t) => {
  const { portal, engine, asked } = await startSlowEngine(t)
  const { target, reference } = acknowledgement()
  const first = exchange(portal, target)
  await until(() => asked.length === 1)
  const browser = connect(portal.port, '127.0.0.1')
  browser.on('error', () => {})
  browser.write(getBytes(target))
  await until(() => portal.load().relaysWaiting === 1)
  browser.resetAndDestroy()
  await until(() => portal.load().relaysWaiting === 0)
  asked[0]?.()
  assert.equal((await first).status, 302)
  await until(() => linesOf(portal, reference).length === 2)
  assert.deepEqual(
    linesOf(portal, reference).map(({ event, outcome, status, aborted }) => [event, outcome, status, aborted]),
    [
      ['acknowledgement', 'abandoned', 503, true],
      ['acknowledgement', 'redirect', 302, undefined],
    ],
  )
  assert.equal(engine.connections.length, 1)
  assert.deepEqual(attemptsOf(portal, reference), [302])
  assert.equal(portal.load().relays, 0)
})

test('a waiting request needs a slot when its wait ends', async (t) => {
  const { portal, asked } = await startSlowEngine(t, {
    capacity: { relays: 4, relaysPerClient: 1 },
    env: { GATEWAY_CAPTIVE_TRUSTED_PROXIES: '127.0.0.1' },
  })
  const from = (address: string, target: string) => exchange(portal, target, { 'X-Forwarded-For': address })
  const { target } = acknowledgement()
  const first = from('192.0.2.1', target)
  await until(() => asked.length === 1)
  const second = from('192.0.2.2', target)
  await until(() => portal.load().relaysWaiting === 1)
  const other = from('192.0.2.2', acknowledgement().target)
  await until(() => asked.length === 2)
  asked[0]?.()
  assert.equal((await first).status, 302)
  const refused = await second
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5'])
  asked[1]?.()
  assert.equal((await other).status, 302)
})

test('a shutdown finishes requests in flight, and waiting ones get 503 with Retry-After', async (t) => {
  const asked: (() => void)[] = []
  const engine = await startHostileEngine(t, (socket) => asked.push(() => socket.end(YES)))
  const portal = await startPortal(undefined, { env: { ENGINE_INTERNAL_URL: engine.url } })
  const { target, reference } = acknowledgement()
  const first = exchange(portal, target)
  await until(() => asked.length === 1)
  const second = exchange(portal, target)
  await until(() => portal.load().relaysWaiting === 1)
  const stopped = portal.close()
  const refused = await second
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
  asked[0]?.()
  assert.equal((await first).status, 302)
  await stopped
  assert.deepEqual(
    linesOf(portal, reference).map(({ outcome }) => outcome),
    ['stopping', 'redirect'],
  )
})

test('every outcome frees its slot', async (t) => {
  let isLedgerDown = false
  const { portal, engine } = await startRelay(t, respondWith(YES), {
    capacity: { relays: 2, relaysPerClient: 2 },
    env: { ENGINE_TIMEOUT_SECONDS: '1' },
    ledger: (ledger) => ({
      ...ledger,
      async beginAttempt(request) {
        if (isLedgerDown) throw new LedgerUnavailable('record an acceptance', new Error('a fault'))
        return await ledger.beginAttempt(request)
      },
    }),
  })
  const outcomes: readonly [number, () => void][] = [
    [503, () => (isLedgerDown = true)],
    [302, () => (isLedgerDown = false)],
    [502, () => engine.behave((socket) => socket.resetAndDestroy())],
    [504, () => engine.behave(() => {})],
    [403, () => engine.behave(respondWith(rawResponse('403 Forbidden')))],
    [410, () => engine.behave(respondWith(rawResponse('410 Gone')))],
    [302, () => engine.behave(respondWith(YES))],
  ]
  for (const [status, begin] of outcomes) {
    begin()
    // More than there are slots, so that a leaked slot is noticed.
    for (let round = 0; round < (status === 504 ? 1 : 3); round++) {
      assert.equal((await exchange(portal, acknowledgement().target)).status, status)
      const { relays, relaysWaiting } = portal.load()
      assert.deepEqual({ relays, relaysWaiting }, { relays: 0, relaysWaiting: 0 })
    }
  }
})
