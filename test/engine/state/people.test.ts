// A person's deletion reaches every engine, also one that was disconnected meanwhile: no row is left that says so.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventNames, type Person } from '../../../src/engine/people/person.ts'
import type { PersonRows } from '../../../src/engine/state/people.ts'
import { databases, query } from '../../support/databases.ts'
import { noPostgres } from '../../support/postgres-server.ts'
import { until } from '../../support/until.ts'
import { identity, newKeys, openEngine, RULE, redemption } from './fixture.ts'

const ANNA: Person = { user: 'anna' }
const rowsOf = (person: Person): PersonRows => ({
  person,
  names: eventNames(person, []),
  isReported: (user) => user.endsWith('anna'),
})

for (const { name, skip, dialect, create } of databases) {
  describe(`a person in the state, ${name}`, { skip }, () => {
    test('in batches, however many rows there are', async (t) => {
      const location = await create(t)
      const state = await openEngine(t, location)
      const rows = Array.from(
        { length: 1_203 },
        (_, at) => `('user anna', 'rule ${at}', '198.51.100.7', 'r${at}', 1, 9e12)`,
      )
      await query(
        location,
        `insert into engine_session (holder, rule_name, client_address, reference, started_at, expires_at)
           values ${rows.join(',')} returning 1`,
      )
      const found = await state.personRows('sessions', rowsOf(ANNA), undefined, 10)
      const next = await state.personRows('sessions', rowsOf(ANNA), ['user anna', found.at(-1)?.rule_name ?? ''], 10)
      assert.equal(new Set([...found, ...next].map((row) => row.rule_name)).size, 20)
      assert.deepEqual((await state.deletePerson(rowsOf(ANNA), { attempts: false })).deleted.sessions, 1_203)
      assert.equal((await state.countPerson(rowsOf(ANNA))).sessions, 0)
    })

    // Engines share a PostgreSQL server; what they read of it is the same in both dialects.
    if (dialect === 'sqlite' && noPostgres === false) return

    test('sessions, permissions and reports end on every engine within a second', async (t) => {
      const location = await create(t)
      const keys = await newKeys(t)
      const [one, other] = [await openEngine(t, location, { keys }), await openEngine(t, location, { keys })]
      const [anna, ben] = [identity('198.51.100.7', 'anna'), identity('203.0.113.9', 'ben')]
      await other.redeem(redemption({ identity: anna }))
      await other.redeem(redemption({ identity: ben }))
      await one.permit({ host: 'hers.example', below: false, by: 'x', milliseconds: 60_000, user: 'anna' })
      await one.reportPresence({ address: '192.0.2.1', user: 'school\\anna', until: Date.now() + 60_000 })
      await until(() => other.permissionsFor('hers.example').length === 1 && other.userAt('192.0.2.1') !== undefined)
      const { deleted, ended } = await one.deletePerson(rowsOf(ANNA), { attempts: false })
      assert.deepEqual([ended, deleted.sessions, deleted.permissions, deleted.presences], [1, 1, 1, 1])
      const startedAt = performance.now()
      await until(() => !other.hasSession(RULE, anna))
      assert.ok(performance.now() - startedAt < 1_500)
      assert.deepEqual([other.permissionsFor('hers.example'), other.userAt('192.0.2.1')], [[], undefined])
      assert.equal(other.hasSession(RULE, ben), true)
    })
  })
}
