// The relay with a failing database: no policy is accepted without a record, and requests without one do not wait. Faults of
// the ledger itself, a full disk, and hostile text: test/ledger/. A server that stops: `npm run check -- database-faults`.
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import type { DatabaseLocation } from '../../../src/settings/sections/database.ts'
import { lockOut, raiseFault } from '../../ledger/fixture.ts'
import { databases, query } from '../../support/databases.ts'
import { rawResponse, respondWith } from '../../support/hostile-engine.ts'
import { claims, verdictTarget } from '../../support/payloads.ts'
import { NOW } from '../../support/portal.ts'
import { postgresUrl } from '../../support/postgres-server.ts'
import { until } from '../../support/until.ts'
import { exchange, exchangeBytes } from '../exchange.ts'
import {
  acknowledgement,
  assertOwnResponse,
  getBytes,
  PASSPHRASE,
  type Relay,
  requestLine,
  startRelay,
} from './relay.ts'

const YES = rawResponse('302 Found', ['Location: https://news.example/'])

type Write = 'insert' | 'update'
/** Causes a fault until the returned function is called. */
type Begin = (location: DatabaseLocation, write: Write) => Promise<() => Promise<unknown>>

const FAULTS: Readonly<Record<string, Begin>> = {
  'a trigger that raises': (location, write) =>
    raiseFault(location, write, write === 'insert' ? 'acceptance' : 'attempt'),
  'locked by another connection': (location) => lockOut(location),
}

async function startOver(t: TestContext, location: DatabaseLocation, ledgerLimit = 500): Promise<Relay> {
  const url = location.dialect === 'sqlite' ? `sqlite:///${location.path}` : postgresUrl(location)
  return await startRelay(t, respondWith(YES), { env: { GATEWAY_CAPTIVE_DATABASE_URL: url }, ledgerLimit })
}

async function stateOf(location: DatabaseLocation, reference: string): Promise<unknown> {
  const rows = await query(location, `select state from acceptance where jti = '${reference}'`)
  assert.ok(rows.length <= 1)
  return rows[0]?.state
}

/** Requests without a record are served normally. */
async function visitOtherPages({ portal }: Relay): Promise<void> {
  for (const kind of ['block', 'warn', 'aup'] as const) {
    assert.equal((await exchange(portal, verdictTarget(claims(NOW, { kind })))).status, 200)
  }
  assert.equal((await exchange(portal, acknowledgement({ kind: 'warn' }).target)).status, 302)
}

async function assertTurnedAway(relay: Relay): Promise<void> {
  const { portal, engine } = relay
  const asked = engine.connections.length
  const all = Array.from({ length: 30 }, (_, index) => acknowledgement(index % 2 === 0 ? {} : PASSPHRASE))
  const crowd = Promise.all(
    all.map(({ target }, index) => exchange(portal, target, index % 2 === 0 ? {} : { 'X-Override-Code': '1234' })),
  )
  await visitOtherPages(relay)
  for (const [index, refused] of (await crowd).entries()) {
    assert.equal(refused.status, 503)
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9][0-9]*$/)
    assertOwnResponse(refused, index % 2 === 0 ? 'page' : 'problem')
    const { reference = '' } = all[index] ?? {}
    // A random reference may contain these letters.
    assert.doesNotMatch(refused.body.replaceAll(reference, ''), /ledger|a fault|SQL/i)
    if (index % 2 === 0) assert.match(refused.body, /href="https:\/\/news\.example\/today/)
    assert.equal((await requestLine(portal, reference)).status, 503)
  }
  // The only request was the warning's.
  assert.equal(engine.connections.length, asked + 1)
  assert.deepEqual(portal.ledger.tally.writeFailures, { attempts: 30, answers: 0, redirects: 0 })
  assert.equal(portal.logged().filter(({ msg }) => msg === 'acceptance could not be recorded').length, 30)
}

for (const { name, skip, create } of databases) {
  const options = { skip, concurrency: name === 'SQLite', timeout: 60_000 }
  describe(`the database fails before the request to the engine, ${name}`, options, () => {
    for (const [what, begin] of Object.entries(FAULTS)) {
      test(what, async (t) => {
        const location = await create(t)
        const relay = await startOver(t, location)
        const end = await begin(location, 'insert')
        try {
          await assertTurnedAway(relay)
        } finally {
          await end()
        }
        const endedAt = performance.now()
        const { target, reference } = acknowledgement()
        while ((await exchange(relay.portal, target)).status !== 302) assert.ok(performance.now() - endedAt < 5_000)
        assert.equal(await stateOf(location, reference), 'accepted')
        const others = await query(location, `select jti from acceptance where jti <> '${reference}'`)
        assert.deepEqual(others, [])
      })
    }

    test('requests without a record do not wait for those with one', async (t) => {
      const location = await create(t)
      const relay = await startOver(t, location, 20_000)
      const end = await lockOut(location)
      let isWaiting = true
      const waiting = exchange(relay.portal, acknowledgement().target).finally(() => {
        isWaiting = false
      })
      try {
        for (const _ of Array(5)) await visitOtherPages(relay)
        assert.ok(isWaiting)
      } finally {
        await end()
      }
      assert.equal((await waiting).status, 302)
    })
  })

  describe(`the database fails after the engine's 302, ${name}`, { skip, timeout: 60_000 }, () => {
    for (const [what, begin] of Object.entries(FAULTS)) {
      test(what, async (t) => {
        const location = await create(t)
        const { portal, engine } = await startOver(t, location)
        const held: Socket[] = []
        engine.behave((socket) => held.push(socket))
        const { target, reference } = acknowledgement()
        const relayed = exchangeBytes(portal, getBytes(target))
        await until(() => held[0])
        const end = await begin(location, 'update')
        held[0]?.end(YES)
        assert.equal(await relayed.finally(end), YES.toString())
        assert.equal((await requestLine(portal, reference)).status, 302)
        const errors = portal.logged().filter(({ level }) => Number(level) >= 50)
        assert.deepEqual(
          errors.map(({ event, msg, reference, outcome }) => ({ event, msg, reference, outcome })),
          [{ event: 'record.failed', msg: 'acceptance stays pending', reference, outcome: 'redirect' }],
        )
        assert.equal(await stateOf(location, reference), 'pending')
        const { writeFailures, accepted } = portal.ledger.tally
        assert.deepEqual([writeFailures, accepted], [{ attempts: 0, answers: 1, redirects: 1 }, 0])

        // The browser repeats the request, and the engine's response is the same.
        engine.behave(respondWith(YES))
        assert.equal((await exchange(portal, target)).status, 302)
        assert.equal(await stateOf(location, reference), 'accepted')
      })
    }
  })
}
