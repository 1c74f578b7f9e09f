// The ledger's metrics: pending acceptances, decisions, and failed writes.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { CompiledQuery, Kysely } from 'kysely'
import { postgresDialect } from '../../src/database/postgres.ts'
import { sqliteDialect } from '../../src/database/sqlite.ts'
import { countWaiting } from '../../src/ledger/metrics.ts'
import type { LedgerTables } from '../../src/ledger/schema.ts'
import type { DatabaseLocation } from '../../src/settings/sections/database.ts'
import { databases, query } from '../support/databases.ts'
import { fill } from '../support/ledgers.ts'
import { acceptanceRequest, assertUnavailable, NOW, openReplica, raiseFault } from './fixture.ts'

const NOTHING_FAILED = { attempts: 0, answers: 0, redirects: 0 }

for (const { name, skip, create } of databases) {
  describe(`metrics, ${name}`, { skip }, () => {
    test('pending acceptances are counted in the database, decisions in the process', async (t) => {
      const location = await create(t)
      let now = NOW
      const ledger = await openReplica(t, location, () => now)
      const other = await openReplica(t, location, () => now)
      const nothing = { accepted: 0, refused: 0, writeFailures: NOTHING_FAILED }
      assert.deepEqual([ledger.tally, await ledger.waiting()], [nothing, { pending: 0, unknown: 0 }])
      await ledger.beginAttempt(acceptanceRequest())
      now += 1
      await other.beginAttempt(acceptanceRequest())
      for (const status of [302, 302, 403, 500]) {
        await ledger.completeAttempt(await ledger.beginAttempt(acceptanceRequest()), status)
      }
      now = NOW + 60_000
      const decided = { accepted: 2, refused: 1, writeFailures: NOTHING_FAILED }
      assert.deepEqual([ledger.tally, await ledger.waiting()], [decided, { pending: 3, unknown: 0 }])
      now += 1
      assert.deepEqual([ledger.tally, await ledger.waiting()], [decided, { pending: 3, unknown: 1 }])
      assert.deepEqual([other.tally, await other.waiting()], [nothing, { pending: 3, unknown: 1 }])
    })

    test('an acceptance is counted as accepted once, however often it is requested', async (t) => {
      const location = await create(t)
      const [one, other] = [await openReplica(t, location), await openReplica(t, location)]
      const request = acceptanceRequest()
      const [first, second] = [await one.beginAttempt(request), await other.beginAttempt(request)]
      await one.completeAttempt(first, 403)
      await Promise.all([one.completeAttempt(first, 302), other.completeAttempt(second, 302)])
      await one.completeAttempt(await one.beginAttempt(request), 302)
      assert.deepEqual([one.tally.accepted, other.tally.accepted], [0, 1])
      assert.deepEqual([one.tally.refused, other.tally.refused], [0, 0])
    })

    test('counts failed writes, those after a 302 separately, and no successful ones', async (t) => {
      const location = await create(t)
      const ledger = await openReplica(t, location)
      const [first, second] = [
        await ledger.beginAttempt(acceptanceRequest()),
        await ledger.beginAttempt(acceptanceRequest()),
      ]
      const mendUpdates = await raiseFault(location, 'update', 'attempt')
      await assertUnavailable(ledger.completeAttempt(first, 302), /refuses it/)
      await assertUnavailable(ledger.completeAttempt(second, 403), /refuses it/)
      await ledger.completeAttempt(second, 'none')
      await mendUpdates()
      const mendInserts = await raiseFault(location, 'insert', 'acceptance')
      await assertUnavailable(ledger.beginAttempt(acceptanceRequest()), /refuses it/)
      await mendInserts()
      const writeFailures = { attempts: 1, answers: 2, redirects: 1 }
      assert.deepEqual(ledger.tally, { accepted: 0, refused: 0, writeFailures })
      assert.deepEqual(await ledger.waiting(), { pending: 2, unknown: 0 })
      await query(location, 'alter table acceptance rename to gone')
      assert.deepEqual([await ledger.waiting(), ledger.tally.writeFailures], [undefined, writeFailures])
    })

    test('pending acceptances are counted with an index-only scan', async (t) => {
      const location = await create(t)
      await openReplica(t, location)
      await fill(location, 20_000)
      await query(location, location.dialect === 'sqlite' ? 'analyze' : 'vacuum analyze acceptance')
      const { waiting, plan } = await explainWaiting(t, location)
      assert.deepEqual(waiting, { pending: 2_000, unknown: 2_000 })
      assert.match(plan, /covering index acceptance_by_state|index only scan using acceptance_by_state/i)
      assert.doesNotMatch(plan, /sort|temp b-tree|seq scan|scan acceptance/i)
    })
  })
}

/** The pending acceptances, and the query plan. */
async function explainWaiting(t: TestContext, location: DatabaseLocation) {
  const limit = { milliseconds: 2_000 }
  const statements: CompiledQuery[] = []
  const db = new Kysely<LedgerTables>({
    dialect:
      location.dialect === 'sqlite'
        ? sqliteDialect(location.path, limit, 'read write')
        : postgresDialect(location.server, limit),
    log: ({ query }) => void statements.push(query),
  })
  t.after(() => db.destroy())
  const explain = location.dialect === 'sqlite' ? 'explain query plan' : 'explain'
  return await db.transaction().execute(async (transaction) => {
    const waiting = await countWaiting(transaction, NOW)
    const statement = statements.find(({ sql }) => sql.startsWith('select'))
    assert.ok(statement !== undefined)
    const { rows } = await transaction.executeQuery(
      CompiledQuery.raw(`${explain} ${statement.sql}`, [...statement.parameters]),
    )
    return { waiting, plan: JSON.stringify(rows) }
  })
}
