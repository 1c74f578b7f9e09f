// The relay with a failing database: no policy is accepted without a record, and requests without one do not wait.
//
// Tests of each storage fault:
//
// | fault | here, through the portal | on the ledger itself |
// | --- | --- | --- |
// | down, at the pending insert | "down" | faults-postgres.test.ts: "a server that no longer answers", "restarted" |
// | locked | "locked by another connection" | faults.test.ts: "locked" |
// | full | "full" | faults-sqlite.test.ts: "a full disk" |
// | a trigger that raises | "a trigger that raises" | faults.test.ts: "a trigger that raises on inserting" |
// | the final update fails after the 302 | "after the engine's 302" | faults.test.ts: "… on updating", health.test.ts |
// | kill -9 | `npm run check -- ledger` | orders, locking.test.ts |
// | restarted under load | "down" | faults-postgres.test.ts: "restarted under load", "pg_terminate_backend" |
// | NUL, quotes, 4-byte UTF-8 | "rule names with any text" | recording.test.ts: "hostile text", "… is refused whole" |
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { connect } from '../../../src/database/database.ts'
import { type Ledger, ledgerOver } from '../../../src/ledger/ledger.ts'
import type { DatabaseLocation } from '../../../src/settings/sections/database.ts'
import { lockOut, raiseFault } from '../../ledger/fixture.ts'
import { databases, postgresServer, query, type TestDatabase, useOwnPostgres } from '../../support/databases.ts'
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

useOwnPostgres()

const YES = rawResponse('302 Found', ['Location: https://news.example/'])

interface Fault {
  readonly over: (database: TestDatabase) => boolean
  /** Causes the fault until the returned function is called. */
  readonly begin: (location: DatabaseLocation, write: 'insert' | 'update') => Promise<() => Promise<unknown>>
  /** Replaces the portal's ledger. */
  readonly ledger?: (location: DatabaseLocation) => (opened: Ledger) => Ledger
}

const everywhere = () => true
const FAULTS: Readonly<Record<string, Fault>> = {
  'a trigger that raises': {
    over: everywhere,
    begin: (location, write) => raiseFault(location, write, write === 'insert' ? 'acceptance' : 'attempt'),
  },
  'locked by another connection': { over: everywhere, begin: (location) => lockOut(location) },
  down: {
    over: ({ name }) => name === 'PostgreSQL',
    async begin() {
      const server = await postgresServer()
      await server.stop('fast')
      return () => server.start()
    },
  },
}

async function startOver(
  t: TestContext,
  location: DatabaseLocation,
  ledger?: (opened: Ledger) => Ledger,
  ledgerLimit = 500,
): Promise<Relay> {
  const url = location.dialect === 'sqlite' ? `sqlite:///${location.path}` : postgresUrl(location)
  return await startRelay(t, respondWith(YES), {
    env: { GATEWAY_CAPTIVE_DATABASE_URL: url },
    ledgerLimit,
    ...(ledger && { ledger }),
  })
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

for (const database of databases) {
  const { name, skip, create } = database
  // One fault stops the whole PostgreSQL server.
  const concurrency = name === 'SQLite'
  describe(`the database fails before the request to the engine, ${name}`, {
    skip,
    concurrency,
    timeout: 60_000,
  }, () => {
    for (const [what, { over, begin }] of Object.entries(FAULTS)) {
      if (!over(database)) continue
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
      const relay = await startOver(t, location, undefined, 2_000)
      const end = await lockOut(location)
      t.after(end)
      let isWaiting = true
      const waiting = exchange(relay.portal, acknowledgement().target).finally(() => {
        isWaiting = false
      })
      for (const _ of Array(5)) await visitOtherPages(relay)
      assert.ok(isWaiting)
      assert.equal((await waiting).status, 503)
    })
  })

  describe(`the database fails after the engine's 302, ${name}`, { skip, timeout: 60_000 }, () => {
    for (const [what, { over, begin }] of Object.entries(FAULTS)) {
      if (!over(database)) continue
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

  describe(`rule names with any text, ${name}`, { skip }, () => {
    const asItIs = ['\u{1F3B2} \u{10FFFF}', `'"; drop table acceptance; --`, '\\ %s $1 ? :x', '\u202e\u2028\r\n\t\x01']
    test('are stored unchanged, or not at all', async (t) => {
      const location = await create(t)
      const { portal, engine } = await startOver(t, location)
      const ruleOf = async (rule_name: string) => {
        const { target, reference } = acknowledgement({ rule_name })
        const { status } = await exchange(portal, target)
        const [row] = await query(location, `select rule_name from acceptance where jti = '${reference}'`)
        return [status, row?.rule_name]
      }
      for (const text of asItIs) assert.deepEqual(await ruleOf(text), [302, text])
      // A lone surrogate is replaced when the payload is parsed.
      assert.deepEqual(await ruleOf('rule\ud83c'), [302, 'rule\ufffd'])
      const asked = engine.connections.length
      assert.deepEqual(await ruleOf('rule\0example'), [503, undefined])
      assert.equal(engine.connections.length, asked)
    })
  })
}

test('the database fails before the request to the engine, SQLite: full', async (t) => {
  const location = await (databases.find(({ name }) => name === 'SQLite') ?? assert.fail()).create(t)
  const path = location.dialect === 'sqlite' ? location.path : assert.fail()
  const db = connect({ dialect: 'sqlite', path }, { milliseconds: 2_000 })
  t.after(() => db.destroy())
  const relay = await startOver(t, location, ({ durability }) => ledgerOver(db, 'sqlite', durability, () => NOW * 1000))
  // SQLite raises this to the current number of pages.
  await sql`pragma max_page_count = 1`.execute(db)
  let recorded = 0
  while ((await exchange(relay.portal, acknowledgement().target)).status === 302) recorded++
  assert.ok(recorded > 0)
  assert.equal((await query(location, `select id from acceptance where state = 'accepted'`)).length, recorded)
  await visitOtherPages(relay)
  await sql`pragma max_page_count = 1000`.execute(db)
  assert.equal((await exchange(relay.portal, acknowledgement().target)).status, 302)
})
