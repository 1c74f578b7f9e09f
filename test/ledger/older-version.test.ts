// A ledger of version 2026.47, and a replica of that version next to this one: both keep working, and nothing that the
// older one wrote is lost.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { openCopier } from '../../src/gatewayctl/portal/acceptances/ledger/copying.ts'
import { openReader } from '../../src/gatewayctl/portal/acceptances/ledger/reading.ts'
import { SHOWN_COLUMNS } from '../../src/ledger/derive-acceptance.ts'
import type { DatabaseLocation } from '../../src/settings/sections/database.ts'
import { databases, query } from '../support/databases.ts'
import { emptyLedger } from '../support/ledgers.ts'
import { acceptanceRequest, NOW, openReplica, storedAcceptance, storedAttempts } from './fixture.ts'
import { downgrade, olderReplica } from './older-version.ts'

const at = (second: number) => new Date(NOW + second * 1_000).toISOString()
const NOT_RECORDED = [null, null, null, null, null]
const inOldVersion = (locale: string) => [`policy in ${locale}`, `hash in ${locale}`, locale, 'assumed', '192.0.2.1']
const shownColumnsOf = (row: object | undefined) =>
  SHOWN_COLUMNS.map((column) => (row as Record<string, unknown> | undefined)?.[column])

async function read(t: TestContext, location: DatabaseLocation, reference: string) {
  const reader = await openReader(location, () => NOW)
  t.after(() => reader.close())
  const { acceptance } = (await reader.find(reference)) ?? assert.fail()
  return acceptance
}

for (const database of databases) {
  describe(`version 2026.47, ${database.name}`, { skip: database.skip }, () => {
    test('its rows are carried over to the first attempt; those of later attempts are not known', async (t) => {
      const location = await emptyLedger(t, database)
      await downgrade(location)
      const older = olderReplica(location)
      const once = await older.begin(at(0), 'de')
      await older.complete(once, 302, at(1))
      const twice = await older.begin(at(0), 'en')
      await older.complete(twice, 403, at(1))
      await older.complete(await older.begin(at(2), 'fr', twice.reference), 302, at(3))
      const silent = await older.begin(new Date(Date.now() - 3_600_000).toISOString(), 'it')
      const before = await query(location, 'select * from acceptance order by id')

      await openReplica(t, location)
      assert.deepEqual(await query(location, 'select * from acceptance order by id'), before)
      const carried = async (reference: string) => (await storedAttempts(location, reference)).map(shownColumnsOf)
      assert.deepEqual(await carried(once.reference), [inOldVersion('de')])
      assert.deepEqual(await carried(twice.reference), [inOldVersion('en'), NOT_RECORDED])
      assert.deepEqual(await carried(silent.reference), [inOldVersion('it')])
    })

    test('an attempt in flight is left to the older replica', async (t) => {
      const location = await emptyLedger(t, database)
      await downgrade(location)
      const older = olderReplica(location)
      const attempt = await older.begin(new Date().toISOString(), 'de')
      await openReplica(t, location)
      assert.deepEqual((await storedAttempts(location, attempt.reference)).map(shownColumnsOf), [NOT_RECORDED])
      await older.complete(attempt, 302, at(1))
      const acceptance = await read(t, location, attempt.reference)
      assert.equal(acceptance.state, 'accepted')
      assert.deepEqual([acceptance, ...acceptance.attempt_records].map(shownColumnsOf), [
        inOldVersion('de'),
        inOldVersion('de'),
      ])
    })

    test('it begins, this version begins too: each attempt keeps its columns, and the deciding one counts', async (t) => {
      const location = await emptyLedger(t, database)
      const older = olderReplica(location)
      const ledger = await openReplica(t, location, () => NOW + 5_000)
      const first = await older.begin(at(0), 'de')
      const { reference } = first
      const second = await ledger.beginAttempt(acceptanceRequest({ reference, locale: 'fr' }))
      assert.equal((await storedAcceptance(location, reference))?.locale, 'fr')
      assert.deepEqual(shownColumnsOf((await storedAttempts(location, reference))[0]), inOldVersion('de'))
      await older.complete(first, 302, at(4))
      await ledger.completeAttempt(second, 403)
      const acceptance = await storedAcceptance(location, reference)
      assert.deepEqual(shownColumnsOf(acceptance), inOldVersion('de'))
      assert.deepEqual([acceptance?.state, acceptance?.decided_at, acceptance?.engine_status], ['accepted', at(4), 302])
    })

    test('its 302 after this version began: the known columns of that verdict count', async (t) => {
      const location = await emptyLedger(t, database)
      const older = olderReplica(location)
      const ledger = await openReplica(t, location)
      const request = acceptanceRequest({ locale: 'fr' })
      const first = await ledger.beginAttempt(request)
      const second = await older.begin(at(1), 'de', request.reference)
      await older.complete(second, 302, at(2))
      await ledger.completeAttempt(first, 403)
      const acceptance = await storedAcceptance(location, request.reference)
      assert.deepEqual([acceptance?.state, acceptance?.locale, acceptance?.decided_at], ['accepted', 'fr', at(2)])
      const { attempt_records } = await read(t, location, request.reference)
      assert.deepEqual(
        attempt_records.map(({ locale }) => locale),
        ['fr', null],
      )
    })

    test('its records are copied completely, and a second run changes nothing', async (t) => {
      const [from, to] = [await emptyLedger(t, database), await database.create(t)]
      const older = olderReplica(from)
      const [first, second] = [await older.begin(at(0), 'de'), await older.begin(at(1), 'en')]
      const again = await older.begin(at(2), 'en', second.reference)
      // In that version the last response decided.
      await older.complete(again, 429, at(3))
      await older.complete(second, 403, at(4))
      await older.complete(first, 302, at(5))
      for (const [added, completed] of [
        [2, 0],
        [0, 0],
      ]) {
        const copier = await openCopier(from, to, () => NOW)
        const batches = await Array.fromAsync(copier.copy())
        const { differing, sha256 } = await copier.verify()
        await copier.close()
        assert.deepEqual([batches[0]?.added, batches[0]?.completed], [added, completed])
        assert.deepEqual(differing, [])
        assert.equal(sha256.source, sha256.destination)
      }
      assert.deepEqual((await storedAttempts(to, second.reference)).map(shownColumnsOf), [
        inOldVersion('en'),
        NOT_RECORDED,
      ])
    })

    test('it opens a ledger of this version: every later migration only adds', async (t) => {
      const location = await emptyLedger(t, database)
      const steps = await query(location, `select name from ledger_migration where name > '003' order by name`)
      assert.deepEqual(
        steps.map(({ name }) => name),
        ['003-expand-shown-by-attempt', '004-expand-shown-carried-over'],
      )
      // Its rule for compatible migrations.
      for (const { name } of steps) assert.match(`${name}`, /^\d{3}-expand-/)
    })
  })
}
