// No session without a record: the ledger's state after repeated acknowledgements, and when the browser disconnects or the
// portal stops before the engine's response. For a failing ledger, see storage.test.ts; for every order, test/ledger/orders.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { EXPIRED_PROBLEM } from '../../../src/contract/acknowledgement.ts'
import { databases, query } from '../../support/databases.ts'
import { rawResponse, respondWith, startHostileEngine } from '../../support/hostile-engine.ts'
import { type RunningPortal, startPortal } from '../../support/portal.ts'
import { postgresUrl } from '../../support/postgres-server.ts'
import { until } from '../../support/until.ts'
import { cookieSet, exchange, exchangeBytes } from '../exchange.ts'
import {
  acceptanceOf,
  acknowledgement,
  assertOwnResponse,
  attemptsOf,
  getBytes,
  PASSPHRASE,
  requestLine,
  startRelay,
} from './relay.ts'

const YES = rawResponse('302 Found', ['Location: https://news.example/'])
const NO = rawResponse('403 Forbidden')
const ERROR = rawResponse('500 Internal Server Error')
const SILENCE = Buffer.alloc(0)
const CODE = { 'X-Override-Code': '1234' }

const { portal, engine } = await startRelay({ after }, () => {}, { env: { ENGINE_TIMEOUT_SECONDS: '1' } })

describe('the same acknowledgement, sequentially', () => {
  const sequences: Readonly<Record<string, [Buffer[], state: string, (number | null | 'open')[]]>> = {
    'a wrong code, then the right one': [[NO, YES], 'accepted', [403, 302]],
    'yes, then no': [[YES, NO], 'accepted', [302, 403]],
    'an error, then no': [[ERROR, NO], 'pending', [500, 403]],
    'a broken response, then yes': [[Buffer.from('?'), YES], 'accepted', [null, 302]],
    'a timeout, then yes': [[SILENCE, YES], 'accepted', ['open', 302]],
  }
  for (const [name, [answers, state, attempts]] of Object.entries(sequences)) {
    test(name, async () => {
      const { target, reference } = acknowledgement(PASSPHRASE)
      for (const bytes of answers) {
        engine.behave(bytes === SILENCE ? () => {} : respondWith(bytes))
        await exchange(portal, target, CODE)
      }
      assert.equal(acceptanceOf(portal, reference)?.state, state)
      assert.equal(acceptanceOf(portal, reference)?.attempts, answers.length)
      assert.deepEqual(attemptsOf(portal, reference), attempts)
    })
  }
})

describe('the same acknowledgement, concurrently', () => {
  test('is one row: one is in flight, the newest waits, the others get 503', async () => {
    const { target, reference } = acknowledgement()
    const held: Socket[] = []
    engine.behave((socket) => held.push(socket))
    const answers = Array.from({ length: 30 }, () => exchange(portal, target))
    let replaced = 0
    for (const response of answers) void response.then(({ status }) => status === 503 && replaced++)
    await until(() => replaced === 28 && held[0])
    engine.behave(respondWith(YES))
    held[0]?.end(YES)
    const statuses = (await Promise.all(answers)).map(({ status }) => status).sort()
    assert.deepEqual(statuses, [302, 302, ...Array(28).fill(503)])
    assert.equal(acceptanceOf(portal, reference)?.state, 'accepted')
    assert.deepEqual(attemptsOf(portal, reference), [302, 302])
  })
  // An SQLite ledger belongs to one portal.
  for (const { name, skip, create } of databases.filter(({ dialect }) => dialect === 'postgres')) {
    test(`on two replicas over ${name}`, { skip }, async (t) => {
      const location = await create(t)
      const env = { GATEWAY_CAPTIVE_DATABASE_URL: location.dialect === 'postgres' ? postgresUrl(location) : '' }
      const replicas = [await startRelay(t, respondWith(YES), { env }), await startRelay(t, respondWith(YES), { env })]
      const { target, reference } = acknowledgement()
      const answers = await Promise.all(
        replicas.flatMap((replica) => Array.from({ length: 25 }, () => exchange(replica.portal, target))),
      )
      // They wait for one row: on a slow machine some time out, before the request to the engine.
      const relayed = answers.filter(({ status }) => status === 302).length
      assert.ok(relayed > 0)
      assert.ok(answers.every(({ status }) => status === 302 || status === 503))
      assert.deepEqual(await query(location, 'select jti, state from acceptance'), [
        { jti: reference, state: 'accepted' },
      ])
      const asked = replicas.reduce((sum, { engine }) => sum + engine.connections.length, 0)
      assert.equal(asked, relayed)
    })
  }
})

test('from the 51st attempt on a policy is expired, neither recorded nor sent; a warning has no such limit', async () => {
  const { target, reference } = acknowledgement(PASSPHRASE)
  const warning = acknowledgement({ kind: 'warn' })
  engine.behave(respondWith(NO))
  for (let number = 1; number <= 50; number++) {
    assert.equal((await exchange(portal, target, CODE)).status, 403)
    assert.equal((await exchange(portal, warning.target)).status, 403)
  }
  const asked = engine.connections.length
  engine.behave(respondWith(YES))
  const refused = await exchange(portal, target, CODE)
  assert.equal(refused.status, 410)
  assertOwnResponse(refused, 'problem')
  assert.equal(JSON.parse(refused.body).type, EXPIRED_PROBLEM)
  assert.equal(engine.connections.length, asked)
  assert.deepEqual(attemptsOf(portal, reference), Array(50).fill(403))
  assert.equal(acceptanceOf(portal, reference)?.state, 'refused')
  const lines = () => portal.logged().filter((line) => line.reference === reference)
  await until(() => lines().length === 51)
  assert.deepEqual([lines().at(-1)?.event, lines().at(-1)?.outcome], ['acknowledgement', 'attemptsExhausted'])
  assert.equal(portal.ledger.tally.writeFailures.attempts, 0)
  assert.equal((await exchange(portal, warning.target)).status, 302)
  assert.equal((await exchange(portal, acknowledgement().target)).status, 302, 'another verdict')
})

test('the document is the one that this browser was shown', async () => {
  engine.behave(respondWith(YES))
  const one = acknowledgement()
  const cookie = cookieSet(await exchange(portal, one.page))
  await exchange(portal, one.target, { Cookie: cookie })
  assert.equal(acceptanceOf(portal, one.reference)?.document_source, 'shown')
  assert.ok(!portal.logText().includes(cookie.slice(-20)))
  for (const other of [{ Cookie: cookie }, { Cookie: cookie.slice(0, -1) }, {}]) {
    const { target, reference } = acknowledgement()
    await exchange(portal, target, other)
    assert.equal(acceptanceOf(portal, reference)?.document_source, 'assumed')
  }
})

/** Sends an acknowledgement and disconnects as soon as `isTime` returns true; the portal has noticed when it resolves. */
async function goAway(portal: RunningPortal, target: string, isTime: () => unknown): Promise<void> {
  const browser = connect(portal.port, '127.0.0.1')
  browser.on('error', () => {})
  browser.write(getBytes(target))
  await until(isTime)
  const open = portal.connections()
  browser.resetAndDestroy()
  await until(() => portal.connections() < open)
}

describe('the browser disconnects', () => {
  test('while the engine decides: the request continues, and the record is completed', async () => {
    const held: Socket[] = []
    engine.behave((socket) => held.push(socket))
    const { target, reference } = acknowledgement()
    await goAway(portal, target, () => held[0])
    assert.equal(held[0]?.destroyed, false)
    assert.equal(acceptanceOf(portal, reference)?.state, 'pending')
    held[0]?.end(YES)
    await until(() => acceptanceOf(portal, reference)?.state === 'accepted')
    const { status, aborted, outcome } = await requestLine(portal, reference)
    assert.deepEqual([status, aborted, outcome], [302, true, 'redirect'])
  })
  test('while the attempt is being committed: the engine gets the request, with the client’s address', async (t) => {
    let isWaiting = false
    const commit = Promise.withResolvers<void>()
    const { portal, engine } = await startRelay(t, respondWith(YES), {
      ledger: (ledger) => ({
        ...ledger,
        async beginAttempt(request) {
          isWaiting = true
          await commit.promise
          return ledger.beginAttempt(request)
        },
      }),
    })
    const { target, reference } = acknowledgement()
    await goAway(portal, target, () => isWaiting)
    commit.resolve()
    await until(() => acceptanceOf(portal, reference)?.state === 'accepted')
    assert.match(engine.connections[0]?.received() ?? '', /x-forwarded-for: 127\.0\.0\.1\r\n/i)
  })
})

test('the portal stops after the acknowledgements in flight, even if their browser has disconnected', async (t) => {
  const told: string[] = []
  const held: Socket[] = []
  const engine = await startHostileEngine(t, (socket) => held.push(socket))
  const portal = await startPortal(undefined, {
    env: { ENGINE_INTERNAL_URL: engine.url },
    ledger: (ledger) => ({
      ...ledger,
      async completeAttempt(...attempt) {
        await ledger.completeAttempt(...attempt)
        told.push(`completed with ${attempt[1]}`)
      },
    }),
  })
  const waiting = exchangeBytes(portal, getBytes(acknowledgement().target))
  await until(() => held[0])
  await goAway(portal, acknowledgement().target, () => held[1])
  const closing = portal.close().then(() => told.push('closed'))
  await assert.rejects(exchange(portal, '/healthz'))
  assert.deepEqual(told, [])
  held[0]?.end(YES)
  assert.equal(await waiting, YES.toString().replace(/\r\n$/, 'Connection: close\r\n\r\n'))
  held[1]?.end(NO)
  await closing
  assert.deepEqual(told, ['completed with 302', 'completed with 403', 'closed'])
})
