// Reading a ledger while a portal writes it. One acceptance with its attempts and its text: test/gatewayctl/show.test.ts.
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import pg from 'pg'
import { type AcceptanceFilter, openReader } from '../../../../../src/gatewayctl/portal/acceptances/ledger/reading.ts'
import type { AcceptanceRecord } from '../../../../../src/ledger/schema.ts'
import type { DatabaseLocation } from '../../../../../src/settings/sections/database.ts'
import { acceptanceRequest, assertUnavailable, NOW, openReplica } from '../../../../ledger/fixture.ts'
import { databases, query } from '../../../../support/databases.ts'
import { emptyLedger, fill } from '../../../../support/ledgers.ts'
import { postgresLocation, postgresUrl } from '../../../../support/postgres-server.ts'
import { temporaryFolder } from '../../../../support/temporary-folder.ts'
import { until } from '../../../../support/until.ts'

async function reader(t: TestContext, location: DatabaseLocation, clock = () => NOW) {
  const opened = await openReader(location, clock)
  t.after(() => opened.close())
  return opened
}

async function all<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const records: T[] = []
  for await (const batch of batches) records.push(...batch)
  return records
}

const inOrder = (one: AcceptanceRecord, other: AcceptanceRecord) =>
  one.requested_at < other.requested_at || (one.requested_at === other.requested_at && one.id < other.id)

for (const database of databases) {
  describe(`reading, ${database.name}`, { skip: database.skip }, () => {
    test('every acceptance once and in order across batches, with and without attempts', async (t) => {
      const location = await emptyLedger(t, database)
      const read = await reader(t, location)
      assert.deepEqual(await all(read.every({})), [])
      for (const count of [500, 1_234]) {
        await query(location, 'delete from attempt')
        await query(location, 'delete from acceptance')
        await fill(location, count)
        const records = await all(read.every({}))
        assert.equal(records.length, count)
        assert.ok(records.every((record, at) => at === 0 || inOrder(records[at - 1] as AcceptanceRecord, record)))
        const withAttempts = await all(read.everyWithAttempts({}))
        assert.deepEqual(
          withAttempts.map(({ attempt_records, ...record }) => record),
          records,
        )
        for (const { jti, attempt_records } of withAttempts) {
          assert.equal(attempt_records.length, 1)
          assert.equal(attempt_records[0]?.id.slice(-12), Number(jti.slice(8)).toString(16).padStart(12, '0'))
        }
      }
    })

    test('filters, alone and together', async (t) => {
      const location = await emptyLedger(t, database)
      await fill(location, 140)
      await query(location, `update acceptance set policy_version = 'old' where rule_name = 'rule-1'`)
      const read = await reader(t, location, () => Date.UTC(2025, 0, 1, 0, 1, 10))
      const records = await all(read.every({}))
      const middle = '2025-01-01T00:00:10.000Z'
      const cases: readonly [AcceptanceFilter, (record: AcceptanceRecord) => boolean][] = [
        [{ since: middle }, ({ requested_at }) => requested_at >= middle],
        [{ until: middle }, ({ requested_at }) => requested_at < middle],
        [{ ruleName: 'rule-2' }, ({ rule_name }) => rule_name === 'rule-2'],
        [{ policyVersion: 'old' }, ({ policy_version }) => policy_version === 'old'],
        [{ state: 'refused' }, ({ state }) => state === 'refused'],
        [{ state: 'pending' }, ({ state }) => state === 'pending'],
        // Exactly 60 s old is still pending.
        [{ state: 'unknown' }, ({ state, requested_at }) => state === 'pending' && requested_at < middle],
        [
          { since: middle, state: 'accepted', ruleName: 'rule-0' },
          ({ requested_at, state, rule_name }) =>
            requested_at >= middle && state === 'accepted' && rule_name === 'rule-0',
        ],
      ]
      for (const [filter, matches] of cases) {
        const expected = records.filter(matches)
        assert.ok(expected.length > 1 && expected.length < records.length)
        assert.deepEqual(await all(read.every(filter)), expected, JSON.stringify(filter))
        const { acceptances, total } = await read.newest(filter, 3)
        assert.equal(total, expected.length, JSON.stringify(filter))
        assert.deepEqual(acceptances, expected.toReversed().slice(0, 3), JSON.stringify(filter))
      }
      assert.deepEqual(await all(read.every({ ruleName: "rule-1' or '1'='1" })), [])
    })

    test('while portals write: every existing acceptance once, complete, and the run ends', async (t) => {
      const location = await emptyLedger(t, database)
      await fill(location, 2_600)
      const before = new Set((await query(location, 'select id from acceptance')).map(({ id }) => id))
      const ledger = await openReplica(t, location, Date.now)
      const read = await reader(t, location, Date.now)
      const seen: AcceptanceRecord[] = []
      for await (const batch of read.everyWithAttempts({})) {
        seen.push(...batch)
        // A new one, one acknowledged again, and an old one committed late.
        const attempt = await ledger.beginAttempt(acceptanceRequest())
        await ledger.beginAttempt(acceptanceRequest({ reference: 'verdict-00000000002599' }))
        await ledger.completeAttempt(attempt, 302)
        for (const { attempts, attempt_records } of batch) assert.equal(attempts, attempt_records.length)
      }
      const ids = seen.map(({ id }) => id)
      assert.equal(new Set(ids).size, ids.length)
      assert.equal(ids.filter((id) => before.has(id)).length, before.size)
      assert.ok(seen.length <= before.size + 1, 'it runs after new ones')
    })
  })
}

for (const database of databases.filter(({ dialect }) => dialect === 'postgres')) {
  test(`${database.name}: a read-only role, and a read-only database`, { skip: database.skip }, async (t) => {
    const location = await emptyLedger(t, database)
    await fill(location, 10)
    const url = new URL(postgresUrl(location))
    const role = `auditor_${url.pathname.slice(1)}`
    await query(location, `create role ${role} login password 'auditor'`)
    const server = postgresLocation(new URL('/postgres', url).href)
    t.after(() => query(server, `drop role ${role}`))
    await query(location, `grant select on acceptance, attempt, document, ledger_migration to ${role}`)
    await query(location, `alter role ${role} set default_transaction_read_only = on`)
    Object.assign(url, { username: role, password: 'auditor' })
    const read = await reader(t, postgresLocation(url.href))
    assert.equal((await all(read.everyWithAttempts({}))).length, 10)
    assert.equal((await read.newest({}, 3)).total, 10)
  })

  test(`${database.name}: an acceptance and its attempts are of one snapshot`, { skip: database.skip }, async (t) => {
    const location = await emptyLedger(t, database)
    await fill(location, 1)
    const read = await reader(t, location)
    const writer = new pg.Client({ connectionString: postgresUrl(location) })
    await writer.connect()
    await writer.query('begin; lock table attempt in access exclusive mode')
    const reading = read.find('verdict-00000000000000', 2)
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await until(async () => (await query(location, waiting)).length > 0)
    await writer.query(`update acceptance set attempts = 2`)
    await writer.query(`insert into attempt (id, jti, asked_at) select 'another', jti, asked_at from attempt`)
    await writer.query('commit')
    await writer.end()
    const [found] = await reading
    assert.equal(found?.acceptance.attempts, found?.acceptance.attempt_records.length)
  })
}

describe('reading an SQLite file', () => {
  const sqlite = databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()
  const fileOf = (location: DatabaseLocation) => (location.dialect === 'sqlite' ? location.path : assert.fail())

  test('neither waits for writers nor blocks them', async (t) => {
    const location = await emptyLedger(t, sqlite)
    await fill(location, 600)
    const ledger = await openReplica(t, location)
    const read = await reader(t, location)
    using writer = new DatabaseSync(fileOf(location))
    writer.exec('begin immediate; delete from attempt')
    const startedAt = performance.now()
    assert.equal((await read.newest({}, 1)).total, 600)
    assert.ok(performance.now() - startedAt < 1_000)
    writer.exec('rollback')

    const half = read.everyWithAttempts({})
    await half.next()
    await ledger.completeAttempt(await ledger.beginAttempt(acceptanceRequest()), 302)
    // No open snapshot: SQLite can restart the write-ahead log.
    writer.exec('pragma busy_timeout = 0')
    assert.equal(writer.prepare('pragma wal_checkpoint(truncate)').get()?.busy, 0)
    await half.next()
  })

  test('that is a folder or something else', async (t) => {
    const folder = temporaryFolder(t)
    const open = (path: string) => openReader({ dialect: 'sqlite', path }, Date.now)
    await assertUnavailable(open(folder), /is not a file/)
    writeFileSync(join(folder, 'portal.db'), 'Not a database, but longer than a header of one would be.'.repeat(10))
    await assertUnavailable(open(join(folder, 'portal.db')), /not an SQLite database/)
    assert.deepEqual(readdirSync(folder), ['portal.db'])
  })

  test('as a portal that was killed leaves it', async (t) => {
    const location = await emptyLedger(t, sqlite)
    const ledger = await openReplica(t, location)
    await ledger.beginAttempt(acceptanceRequest())
    const copy = join(dirname(fileOf(location)), 'copy')
    mkdirSync(copy)
    for (const suffix of ['', '-wal']) cpSync(`${fileOf(location)}${suffix}`, join(copy, `portal.db${suffix}`))
    const read = await reader(t, { dialect: 'sqlite', path: join(copy, 'portal.db') })
    assert.equal((await read.newest({}, 1)).total, 1)
  })
})
