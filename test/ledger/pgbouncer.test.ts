// Behind PgBouncer in transaction mode replicas share sessions: no setting and no lock may outlive its transaction.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { openPruner } from '../../src/gatewayctl/portal/acceptances/ledger/pruning.ts'
import { openReader } from '../../src/gatewayctl/portal/acceptances/ledger/reading.ts'
import { databases, query } from '../support/databases.ts'
import { skipWithoutPgbouncer, startPgbouncer } from '../support/pgbouncer.ts'
import { noPostgres, postgresLocation, postgresUrl } from '../support/postgres-server.ts'
import { acceptanceRequest, NOW, openReplica } from './fixture.ts'

async function behindPgbouncer(t: TestContext) {
  const direct = await databases.find(({ name }) => name === 'PostgreSQL')?.create(t)
  if (direct?.dialect !== 'postgres') assert.fail()
  const location = postgresLocation(await startPgbouncer(t, postgresUrl(direct)))
  return { direct, location }
}

describe('PgBouncer, transaction mode', { skip: noPostgres || skipWithoutPgbouncer }, () => {
  test('three replicas start at once, and migrate once', async (t) => {
    const { direct, location } = await behindPgbouncer(t)
    await Promise.all(Array.from({ length: 3 }, () => openReplica(t, location)))
    assert.equal((await query(direct, 'select name from ledger_migration')).length, 6)
    // The server has databases of other tests.
    const own = '(select oid from pg_database where datname = current_database())'
    const locks = await query(direct, `select 1 from pg_locks where locktype = 'advisory' and database = ${own}`)
    assert.deepEqual(locks, [])
  })

  test('180 acceptances through 4 sessions of the server: each is recorded and completed', async (t) => {
    const { direct, location } = await behindPgbouncer(t)
    const [one, other, third] = [
      await openReplica(t, location),
      await openReplica(t, location),
      await openReplica(t, location),
    ]
    const pairs = [[one, other] as const, [other, third] as const, [third, one] as const]
    const acknowledge = async ([first, second]: (typeof pairs)[number]) =>
      await second.completeAttempt(await first.beginAttempt(acceptanceRequest()), 302)
    // In waves: timeouts are not tested here.
    for (let wave = 0; wave < 20; wave++) await Promise.all([...pairs, ...pairs, ...pairs].map(acknowledge))
    const rows = await query(direct, `select state, cast(count(*) as integer) as total from acceptance group by state`)
    assert.deepEqual(rows, [{ state: 'accepted', total: 180 }])
    const own = 'datname = current_database() and pid <> pg_backend_pid()'
    assert.ok((await query(direct, `select pid from pg_stat_activity where ${own}`)).length <= 4)
  })

  test('no setting of a transaction stays with the session', async (t) => {
    const { location } = await behindPgbouncer(t)
    const ledger = await openReplica(t, location)
    await ledger.beginAttempt(acceptanceRequest())
    const settings = await Promise.all(
      Array.from({ length: 8 }, () => query(location, `select current_setting('statement_timeout') as timeout`)),
    )
    assert.deepEqual(new Set(settings.flat().map(({ timeout }) => timeout)), new Set(['0']))
  })

  test('gatewayctl reads and prunes', async (t) => {
    const { location } = await behindPgbouncer(t)
    const ledger = await openReplica(t, location)
    for (let number = 0; number < 3; number++) await ledger.beginAttempt(acceptanceRequest())
    const reader = await openReader(location, () => NOW)
    t.after(() => reader.close())
    assert.equal((await reader.newest({}, 2)).total, 3)
    const pruner = await openPruner(location, Date.now)
    t.after(() => pruner.close())
    assert.deepEqual(await Array.fromAsync(pruner.prune(new Date(NOW + 1).toISOString())), [3])
  })
})
