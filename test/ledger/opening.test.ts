import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openLedger } from '../../src/ledger/ledger.ts'
import { type DatabaseLocation, loadDatabase } from '../../src/settings/sections/database.ts'
import { databases, query } from '../support/databases.ts'
import { postgresLocation, postgresUrl } from '../support/postgres-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { acceptanceRequest, assertUnavailable, openReplica } from './fixture.ts'

const options = { clock: Date.now, migrate: true }

async function openWithoutMigrating(location: DatabaseLocation) {
  const ledger = await openLedger(location, { ...options, migrate: false })
  await ledger.ping()
  await ledger.close()
}

for (const { name, skip, dialect, create } of databases) {
  describe(`opening, ${name}`, { skip }, () => {
    test('several replicas at once migrate once', async (t) => {
      const location = await create(t)
      const replicas = await Promise.all(Array.from({ length: 6 }, () => openReplica(t, location)))
      const migrations = await query(location, 'select name from ledger_migration')
      assert.equal(new Set(migrations.map(({ name }) => name)).size, 6)
      assert.equal(migrations.length, 6)
      await Promise.all(replicas.map((ledger) => ledger.beginAttempt(acceptanceRequest())))
    })

    test('without migrating it requires a schema that is up to date', async (t) => {
      const location = await create(t)
      await assertUnavailable(openLedger(location, { ...options, migrate: false }), /not migrated yet: 001-acceptances/)
      const catalogue = dialect === 'sqlite' ? 'sqlite_master' : `pg_tables where schemaname = 'public'`
      assert.deepEqual(await query(location, `select * from ${catalogue}`), [])
      await openReplica(t, location)
      await openWithoutMigrating(location)
    })

    test('a migration that fails leaves nothing behind', async (t) => {
      const location = await create(t)
      const prepare = dialect === 'sqlite' ? 'create view attempt as select 1' : 'create view attempt as select 1 as x'
      await query(location, prepare)
      await assertUnavailable(openLedger(location, options), /the statement failed|42P07/)
      await query(location, 'drop view attempt')
      const ledger = await openReplica(t, location)
      await ledger.ping()
    })

    test('after a rollback this version works with additions of a later one', async (t) => {
      const location = await create(t)
      const before = await openReplica(t, location)
      // The later version's writes while this one still runs.
      await query(location, 'alter table acceptance add column a_new_one text')
      await query(location, `insert into ledger_migration values ('007-expand-a-new-one', '2030-01-01T00:00:00.000Z')`)
      const after = await openReplica(t, location)
      const attempt = await before.beginAttempt(acceptanceRequest())
      await after.completeAttempt(attempt, 302)
      await openWithoutMigrating(location)
      assert.deepEqual(await query(location, 'select state, a_new_one from acceptance'), [
        { state: 'accepted', a_new_one: null },
      ])
      assert.equal((await query(location, 'select * from ledger_migration')).length, 7)
    })

    test('and not with its removals', async (t) => {
      const location = await create(t)
      await openReplica(t, location)
      const later = `('007-expand-x', '2030-01-01T00:00:00.000Z'), ('008-contract-x', '2030-01-01T00:00:00.001Z')`
      await query(location, `insert into ledger_migration values ${later}`)
      await assertUnavailable(openLedger(location, options), /of a later version: 008-contract-x$/)
      await assertUnavailable(openLedger(location, { ...options, migrate: false }), /: 008-contract-x$/)
    })

    test('durability is read back', async (t) => {
      const { durability } = await openReplica(t, await create(t))
      if (dialect === 'sqlite') {
        assert.deepEqual(durability.settings, { journal_mode: 'wal', synchronous: 'full' })
        assert.ok(durability.inTemporaryFolder || durability.memoryBacked)
      } else {
        assert.equal(durability.settings.synchronous_commit, 'on')
        assert.ok(!durability.memoryBacked && !durability.inTemporaryFolder)
      }
    })
  })
}

for (const { name, skip, create } of databases.filter(({ dialect }) => dialect === 'postgres')) {
  test(`${name}: synchronous_commit that is off is turned on for every transaction`, { skip }, async (t) => {
    const location = await create(t)
    const database = new URL(postgresUrl(location)).pathname.slice(1)
    await query(location, `alter database ${database} set synchronous_commit = off`)
    assert.equal((await openReplica(t, location)).durability.settings.synchronous_commit, 'on')
    await query(location, `alter database ${database} set synchronous_commit = remote_apply`)
    assert.equal((await openReplica(t, location)).durability.settings.synchronous_commit, 'remote_apply')
  })
}

test('a server that does not exist', async () => {
  const url = 'postgres://portal:a-password@127.0.0.1:1/portal'
  const opening = openLedger(postgresLocation(url), options)
  await assertUnavailable(opening, /ECONNREFUSED/)
  await assert.rejects(opening, (error: Error) => !error.message.includes('a-password'))
})

test('a file that cannot be created', async (t) => {
  const folder = temporaryFolder(t)
  const open = (path: string) => openLedger({ dialect: 'sqlite', path }, options)
  await assertUnavailable(open(join(folder, 'missing', 'portal.db')), /ENOENT/)
  await assertUnavailable(open(folder), /EISDIR/)
})

test('a missing file below the working folder: an absolute path takes four slashes', async () => {
  const open = (url: string) => openLedger(loadDatabase({ GATEWAY_CAPTIVE_DATABASE_URL: url }), options)
  await assertUnavailable(
    open('sqlite:///var/lib/no-such-folder/portal.db'),
    /an absolute path takes four slashes, sqlite:\/{4}var\/lib\/no-such-folder\/portal\.db$/,
  )
  for (const absolute of ['/var/lib/no-such-folder/portal.db', join(process.cwd(), 'no-such-folder/portal.db')]) {
    await assert.rejects(open(`sqlite:///${absolute}`), (error: Error) => !error.message.includes('four slashes'))
  }
})

test('only its owner can read the SQLite file', async (t) => {
  const path = join(temporaryFolder(t), 'portal.db')
  const ledger = await openReplica(t, { dialect: 'sqlite', path })
  await ledger.beginAttempt(acceptanceRequest())
  for (const file of [path, `${path}-wal`, `${path}-shm`]) assert.equal(statSync(file).mode & 0o777, 0o600, file)
})

test('SQLite in memory works, and is reported as such', async (t) => {
  const ledger = await openReplica(t, { dialect: 'sqlite', path: ':memory:' })
  assert.equal(ledger.durability.memoryBacked, true)
  await ledger.beginAttempt(acceptanceRequest())
  assert.equal((await ledger.waiting())?.pending, 1)
})
