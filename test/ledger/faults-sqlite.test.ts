import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { sql } from 'kysely'
import { connect } from '../../src/database/database.ts'
import { ledgerOver } from '../../src/ledger/ledger.ts'
import { query } from '../support/databases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { acceptanceRequest, assertUnavailable, openReplica, slowDown } from './fixture.ts'

test('a full disk: fails without a partial write, keeps its records, works again once there is space', async (t) => {
  const location = { dialect: 'sqlite', path: join(temporaryFolder(t), 'portal.db') } as const
  const { durability } = await openReplica(t, location)
  const db = connect(location, { milliseconds: 2_000 })
  const ledger = ledgerOver(db, location.dialect, durability, Date.now)
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

test('a thread that ends: its transaction fails without a partial write, and a new thread replaces it', async (t) => {
  const threads: Worker[] = []
  const meet = (thread: Worker) => threads.push(thread)
  process.on('worker', meet)
  t.after(() => process.off('worker', meet))
  const location = { dialect: 'sqlite', path: join(temporaryFolder(t), 'portal.db') } as const
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

test('a statement that times out is rolled back and does not block later ones', async (t) => {
  const location = { dialect: 'sqlite', path: join(temporaryFolder(t), 'portal.db') } as const
  const ledger = await openReplica(t, location)
  await slowDown(location, 3_500)
  await Promise.all([
    assertUnavailable(ledger.beginAttempt(acceptanceRequest()), /took longer than/),
    assertUnavailable(ledger.ping(), /took longer than/),
  ])
  await until(async () => (await ledger.waiting()) !== undefined)
  assert.deepEqual(await ledger.waiting(), { pending: 0, unknown: 0 })
})
