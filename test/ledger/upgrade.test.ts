// Ledgers of earlier versions: one of 2026.48 is upgraded, with what it still has of 2026.47; one of 2026.47 is refused.
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { describe, test } from 'node:test'
import { openReader } from '../../src/gatewayctl/portal/acceptances/ledger/reading.ts'
import { SHOWN_COLUMNS } from '../../src/ledger/derive-acceptance.ts'
import { openLedger } from '../../src/ledger/ledger.ts'
import type { DatabaseLocation } from '../../src/settings/sections/database.ts'
import { databases, query } from '../support/databases.ts'
import { emptyLedger } from '../support/ledgers.ts'
import { assertUnavailable, NOW, newReference, openReplica, storedAttempts } from './fixture.ts'

const at = (second: number) => new Date(NOW + second * 1_000).toISOString()
const shownColumnsOf = (row: object) => SHOWN_COLUMNS.map((column) => (row as Record<string, unknown>)[column])

/** As version 2026.47 recorded it: what was shown, in the acceptance alone. */
async function recordWithoutColumns(location: DatabaseLocation, locale: string, ...statuses: readonly number[]) {
  const reference = newReference()
  await query(
    location,
    `insert into acceptance (id, jti, rule_name, policy_version, document_sha256, document_source, locale, state,
       requested_at, decided_at, engine_status, attempts, portal_version, client_address)
     values ('${randomUUIDv7()}', '${reference}', 'rule-example', 'policy in ${locale}', 'hash in ${locale}', 'shown',
       '${locale}', 'refused', '${at(0)}', '${at(1)}', 403, ${statuses.length}, '2026.47.0-IR', '192.0.2.1')`,
  )
  for (const [index, status] of statuses.entries()) {
    await query(
      location,
      `insert into attempt (id, jti, asked_at, answered_at, engine_status)
       values ('${randomUUIDv7()}', '${reference}', '${at(2 * index)}', '${at(2 * index + 1)}', ${status})`,
    )
  }
  return reference
}

for (const database of databases) {
  describe(`a ledger of an earlier version, ${database.name}`, { skip: database.skip }, () => {
    test('of 2026.48: its first attempts get what was shown, later ones what is assumed', async (t) => {
      const location = await emptyLedger(t, database)
      await query(location, `delete from ledger_migration where name > '005'`)
      for (const table of ['ledger_head', 'ledger_leaf', 'ledger_entry']) await query(location, `drop table ${table}`)
      const reference = await recordWithoutColumns(location, 'de', 403, 429)
      const before = await query(location, 'select * from acceptance')
      await assertUnavailable(openReader(location, Date.now), /not migrated yet: 005-/)
      await openReplica(t, location)
      const [first = {}, second = {}] = await storedAttempts(location, reference)
      assert.deepEqual(shownColumnsOf(first), ['policy in de', 'hash in de', 'de', 'shown', '192.0.2.1'])
      assert.deepEqual(shownColumnsOf(second), ['policy in de', 'hash in de', 'de', 'assumed', null])
      assert.deepEqual(await query(location, 'select * from acceptance'), before)
    })

    test('of 2026.47: refused with the way to upgrade, and unchanged', async (t) => {
      const location = await emptyLedger(t, database)
      for (const column of SHOWN_COLUMNS) await query(location, `alter table attempt drop column ${column}`)
      await query(location, `delete from ledger_migration where name > '003'`)
      await recordWithoutColumns(location, 'de', 403)
      const tables = ['acceptance', 'attempt', 'ledger_migration']
      const content = () => Promise.all(tables.map((table) => query(location, `select * from ${table}`)))
      const before = await content()
      const upgrade = /a version before 2026\.48: start the last version of 2026\.48 with it first/
      await assertUnavailable(openLedger(location, { clock: () => NOW, migrate: true }), upgrade)
      await assertUnavailable(openReader(location, Date.now), upgrade)
      assert.deepEqual(await content(), before)
    })
  })
}
