// Faults of both databases: the ledger fails in time, with its one error, and loses nothing that it acknowledged.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { sql } from 'kysely'
import { connect } from '../../src/database/database.ts'
import { ledgerOver } from '../../src/ledger/ledger.ts'
import { databases, query } from '../support/databases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import {
  acceptanceRequest,
  assertUnavailable,
  lockOut,
  openReplica,
  raiseFault,
  slowDown,
  storedAcceptance,
  storedAttempts,
} from './fixture.ts'

for (const { name, skip, dialect, create } of databases) {
  describe(`faults, ${name}`, { skip, timeout: 60_000 }, () => {
    for (const table of ['acceptance', 'attempt']) {
      test(`a trigger that raises on an ${table}: what was to be inserted is missing, and what was to be updated stays`, async (t) => {
        const location = await create(t)
        const ledger = await openReplica(t, location)
        const mendInserts = await raiseFault(location, 'insert', table)
        const request = acceptanceRequest()
        await assertUnavailable(ledger.beginAttempt(request), /refuses it/)
        assert.equal(await storedAcceptance(location, request.reference), undefined)
        assert.deepEqual(await storedAttempts(location, request.reference), [])
        await mendInserts()
        const attempt = await ledger.beginAttempt(request)

        const mend = await raiseFault(location, 'update', table)
        await assertUnavailable(ledger.completeAttempt(attempt, 302), /refuses it/)
        assert.equal((await storedAcceptance(location, request.reference))?.state, 'pending')
        assert.equal((await storedAttempts(location, request.reference))[0]?.answered_at, null)
        await mend()
        await ledger.completeAttempt(attempt, 302)
        assert.equal((await storedAcceptance(location, request.reference))?.state, 'accepted')
      })
    }

    test('a locked database: many requests fail in time, the event loop is not blocked, and it recovers', async (t) => {
      const location = await create(t)
      const ledger = await openReplica(t, location)
      const attempt = await ledger.beginAttempt(acceptanceRequest())
      const unlock = await lockOut(location)
      let longestGap = 0
      let last = performance.now()
      const ticking = setInterval(() => {
        longestGap = Math.max(longestGap, performance.now() - last)
        last = performance.now()
      }, 10)
      await Promise.all([
        assertUnavailable(ledger.completeAttempt(attempt, 302)),
        assertUnavailable(ledger.ping()),
        ledger.waiting().then((waiting) => assert.equal(waiting, undefined)),
        ...Array.from({ length: 40 }, () => assertUnavailable(ledger.beginAttempt(acceptanceRequest()))),
      ])
      clearInterval(ticking)
      await unlock()
      assert.ok(longestGap < 1_000, `the event loop was blocked for ${longestGap} ms`)
      await ledger.completeAttempt(attempt, 302)
      assert.deepEqual(await query(location, 'select state from acceptance'), [{ state: 'accepted' }])
    })

    test('overload: many requests are rejected, and every attempt that was begun is completed', async (t) => {
      const location = await create(t)
      const ledger = await openReplica(t, location)
      await slowDown(location, dialect === 'sqlite' ? 20 : 100)
      const acknowledge = async () => {
        const attempt = await ledger.beginAttempt(acceptanceRequest()).catch(() => undefined)
        if (attempt === undefined) return 'rejected'
        return await ledger.completeAttempt(attempt, 302).then(
          () => 'completed',
          (error) => `not completed: ${error.message}`,
        )
      }
      const acknowledging: Promise<string>[] = []
      let rejected = 0
      for (; rejected < 50; await sleep(20)) {
        for (const outcome of Array.from({ length: 8 }, acknowledge)) {
          acknowledging.push(outcome)
          void outcome.then((text) => text === 'rejected' && rejected++)
        }
      }
      const outcomes = await Promise.all(acknowledging)
      assert.deepEqual(new Set(outcomes), new Set(['rejected', 'completed']))
      const rows = await query(location, `select id from acceptance where state = 'accepted'`)
      assert.equal(rows.length, outcomes.filter((outcome) => outcome === 'completed').length)
    })
  })
}

const sqliteFile = (t: TestContext) => ({ dialect: 'sqlite', path: join(temporaryFolder(t), 'portal.db') }) as const

test('SQLite, a full disk: fails without a partial write, keeps its records, works again once there is space', async (t) => {
  const location = sqliteFile(t)
  const { durability } = await openReplica(t, location)
  const db = connect(location, { milliseconds: 2_000 })
  const ledger = ledgerOver(db, location.dialect, durability, { clock: Date.now })
  t.after(() => ledger.close())
  // SQLite raises this to the number of existing pages.
  await sql`pragma max_page_count = 1`.execute(db)

  let recorded = 0
  const fill = async () => {
    for (; ; recorded++) await ledger.beginAttempt(acceptanceRequest())
  }
  await assertUnavailable(fill(), /full/)
  assert.ok(recorded > 0)
  assert.equal((await ledger.waiting())?.pending, recorded)
  await assertUnavailable(ledger.beginAttempt(acceptanceRequest({ ruleName: 'x'.repeat(10_000) })), /full/)
  await sql`pragma max_page_count = 1000`.execute(db)
  await ledger.beginAttempt(acceptanceRequest())
  assert.equal((await ledger.waiting())?.pending, recorded + 1)
})

test('SQLite, a thread that ends: its transaction fails without a partial write, and a new thread replaces it', async (t) => {
  const threads: Worker[] = []
  const meet = (thread: Worker) => threads.push(thread)
  process.on('worker', meet)
  t.after(() => process.off('worker', meet))
  const location = sqliteFile(t)
  const ledger = await openReplica(t, location)
  const requests = Array.from({ length: 20 }, () => acceptanceRequest())
  const beginning = Promise.allSettled(requests.map((request) => ledger.beginAttempt(request)))
  await until(async () => (await query(location, 'select id from acceptance')).length > 0, 10, 1)
  await threads[0]?.terminate()
  const outcomes = await beginning
  assert.ok(outcomes.some(({ status }) => status === 'rejected'))
  const stored = new Set((await query(location, 'select jti from acceptance')).map(({ jti }) => jti))
  for (const [index, { reference }] of requests.entries()) {
    assert.ok(outcomes[index]?.status === 'rejected' || stored.has(reference), 'acknowledged, and no row')
  }
  await ledger.completeAttempt(await ledger.beginAttempt(acceptanceRequest()), 302)
  assert.equal(threads.length, 2)
  assert.equal((await query(location, 'pragma integrity_check'))[0]?.integrity_check, 'ok')
})

test('SQLite, a statement that times out is rolled back and does not block later ones', async (t) => {
  const location = sqliteFile(t)
  const ledger = await openReplica(t, location)
  await slowDown(location, 3_500)
  await Promise.all([
    assertUnavailable(ledger.beginAttempt(acceptanceRequest()), /took longer than/),
    assertUnavailable(ledger.ping(), /took longer than/),
  ])
  await until(async () => (await ledger.waiting()) !== undefined)
  assert.deepEqual(await ledger.waiting(), { pending: 0, unknown: 0 })
})
