// With a slow engine or a hanging database, acknowledgements occupy all slots. Further ones get 503 immediately and are not
// recorded, and pages are not affected.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { claims, verdictTarget } from '../../support/payloads.ts'
import { NOW } from '../../support/portal.ts'
import { until } from '../../support/until.ts'
import { exchange } from '../exchange.ts'
import { acceptancesOf, acknowledgement, assertOwnResponse, PASSPHRASE, startRelay } from './relay.ts'

const CAPACITY = { relays: 4 }
const YES = 'HTTP/1.1 302 Found\r\nLocation: https://news.example/\r\nContent-Length: 0\r\n\r\n'

/** An engine that responds when the test releases it. */
async function startSlowEngine(t: TestContext) {
  const waiting: (() => void)[] = []
  const relay = await startRelay(t, (socket) => waiting.push(() => socket.end(YES)), { capacity: CAPACITY })
  return {
    ...relay,
    waiting,
    letGo() {
      for (const respond of waiting.splice(0)) respond()
    },
  }
}

test('a slow engine: all slots wait, further requests get 503 immediately', async (t) => {
  const { portal, engine, waiting, letGo } = await startSlowEngine(t)
  const held = Array.from({ length: 4 }, () => exchange(portal, acknowledgement({ kind: 'warn' }).target))
  await until(() => waiting.length === 4)
  assert.deepEqual(portal.load().relays, 4)

  const begunAt = performance.now()
  for (const changes of [{ kind: 'warn' }, {}] as const) {
    const refused = await exchange(portal, acknowledgement(changes).target, { 'accept-language': 'fr' })
    assert.equal(refused.status, 503)
    assert.equal(refused.headers.get('retry-after'), '5')
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

  letGo()
  assert.deepEqual(
    (await Promise.all(held)).map(({ status }) => status),
    [302, 302, 302, 302],
  )
  const next = exchange(portal, acknowledgement({ kind: 'warn' }).target)
  await until(() => waiting.length === 1)
  letGo()
  assert.equal((await next).status, 302)
  assert.equal(portal.load().relays, 0)
})

test('a hanging database: further policies get 503 immediately, and pages are served', async (t) => {
  const database = Promise.withResolvers<void>()
  const relay = await startRelay(t, (socket) => socket.end(YES), {
    capacity: CAPACITY,
    ledger: (ledger) => ({
      ...ledger,
      async beginAttempt(request) {
        await database.promise
        return await ledger.beginAttempt(request)
      },
    }),
  })
  const { portal } = relay
  const held = Array.from({ length: 3 }, () => exchange(portal, acknowledgement().target))
  await until(() => portal.load().relays === 3)
  for (let count = 0; count < 5; count++) {
    assert.equal((await exchange(portal, acknowledgement({ kind: 'warn' }).target)).status, 302)
  }
  held.push(exchange(portal, acknowledgement().target))
  await until(() => portal.load().relays === 4)
  assert.equal((await exchange(portal, acknowledgement().target)).status, 503)
  assert.equal((await exchange(portal, verdictTarget(claims(NOW)))).status, 200)
  database.resolve()
  for (const response of held) assert.equal((await response).status, 302)
})
