// A person's data: counted, shown in pages, deleted from state, journal and memory, and the deletion recorded without the person.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { databases, query } from '../../../support/databases.ts'
import { rule } from '../../../support/rules.ts'
import { empty, sharedDatabase } from '../../../support/shared-database.ts'
import { stateOf } from '../../journal/fixture.ts'
import { policy, startEngine } from '../../running-engine.ts'

const POLICY = policy(
  `
  ${rule('games', 'block', 'match = ["games.example"]')}
  ${rule('news', 'warn', 'match = ["news.example"]')}
  ${rule('lab', 'warn', 'match = ["lab.example"]', 'override = { type = "pin", code = "80361", attempts = 2 }')}
  [users]
  strip = ["SCHOOL\\\\"]
  [groups]
  pupils = { users = ["anna", "ben"] }
`,
  'journal = { days = 14, person_days = 3 }',
)
const [GAMES, NEWS, LAB] = ['https://games.example/', 'https://news.example/', 'https://lab.example/']
const [HERS, OTHERS] = ['198.51.100.7', '203.0.113.9']
const BY = 'Ms Rossi'

type Json = Readonly<Record<string, unknown>>

for (const database of databases) {
  const { name, skip, dialect } = database
  describe(`a person's data, ${name}`, { skip }, () => {
    const shared = sharedDatabase(database)

    async function start(t: TestContext) {
      const journal = await shared()
      const location = stateOf(journal)
      await empty(location)
      const engine = await startEngine(t, POLICY, { location, journal })
      const call = async (call: string, body: object) => {
        const { status, json } = await engine.administer(`privacy/${call}`, body)
        assert.equal(status, 200, JSON.stringify(json))
        return json as Record<string, Json>
      }
      return {
        ...{ engine, location, journalLocation: journal, call },
        /** One stop, a session, a wrong code and a permission of each. */
        async live() {
          for (const [user, client] of [
            ['SCHOOL\\Anna', HERS],
            ['ben', OTHERS],
          ] as const) {
            await engine.decide(GAMES, client, user)
            await engine.acknowledge(await engine.verdict(NEWS, client, user))
            await engine.acknowledge(await engine.verdict(LAB, client, user), '11111')
            const permission = { host: `${client}.example`, minutes: 60, by: BY, user: user.replace('SCHOOL\\', '') }
            assert.equal((await engine.administer('permissions/allow', permission)).status, 200)
            await engine.state.reportPresence({
              address: client,
              user: `school\\${user.replace('SCHOOL\\', '')}`,
              until: Number.MAX_SAFE_INTEGER,
            })
          }
          await engine.journal?.flush()
        },
      }
    }

    test('by user, in any spelling, and by address: what is in each table', async (t) => {
      const { call, live } = await start(t)
      await live()
      const expected = { sessions: 1, attempts: 1, permissions: 1, presences: 1, stops: 3, memory: 3 }
      const { rows, person, groups } = await call('count', { user: 'school\\ANNA' })
      assert.partialDeepStrictEqual(rows, expected)
      assert.deepEqual([person, groups], [{ user: 'anna', client: null, network: null }, ['pupils']])
      const byAddress = await call('count', { client: `::ffff:${HERS}` })
      // Wrong codes and the permission are the user's.
      assert.partialDeepStrictEqual(byAddress.rows, { ...expected, attempts: 0, permissions: 0, presences: 1 })
      assert.partialDeepStrictEqual((await call('count', { user: 'nobody-here' })).rows, { sessions: 0, stops: 0 })
      const shown = await call('show', { user: 'anna' })
      assert.ok(!JSON.stringify(shown).includes(OTHERS))
      assert.equal((shown.stops as unknown as Json[]).length, 3)
    })

    test('pages have each row once, and a foreign position is refused', async (t) => {
      const { call, live, engine } = await start(t)
      await live()
      const whole = await call('show', { user: 'anna', limit: 1000 })
      const collected: Record<string, unknown[]> = {}
      let after: unknown
      let pages = 0
      do {
        const { next, ...page } = await call('show', { user: 'anna', limit: 2, ...(after !== undefined && { after }) })
        const rows = Object.values(page).flat()
        assert.ok(rows.length <= 2)
        for (const [part, some] of Object.entries(page))
          collected[part] = [...(collected[part] ?? []), ...(some as unknown as Json[])]
        after = next
        pages++
      } while (after !== null)
      assert.ok(pages > 3)
      assert.equal(Object.keys(collected).length, 8)
      for (const [part, rows] of Object.entries(collected)) assert.deepEqual(rows, whole[part], part)
      for (const after of [
        '',
        'x',
        Buffer.from('["journal_key"]').toString('base64url'),
        Buffer.from('[1e99]').toString('base64url'),
      ]) {
        assert.equal((await engine.administer('privacy/show', { user: 'anna', after })).status, 400, after)
      }
      for (const body of [{}, { user: 'anna', client: HERS }, { user: '' }, { client: '198.51.100.0/24' }]) {
        assert.equal((await engine.administer('privacy/count', body)).status, 400, JSON.stringify(body))
      }
    })

    test('nothing of her remains, the other keeps everything, and the deletion names nobody', async (t) => {
      const { call, live, engine, location, journalLocation } = await start(t)
      await live()
      const before = (await call('count', { user: 'ben' })).rows
      const deletion = await call('delete', { user: 'Anna', by: BY, attempts: true })
      assert.partialDeepStrictEqual(deletion.deleted, { sessions: 1, attempts: 1, permissions: 1, stops: 3, memory: 3 })
      assert.deepEqual([deletion.ended, deletion.remains], [1, []])
      await call('delete', { client: HERS, by: BY, attempts: true })
      for (const whom of [{ user: 'anna' }, { client: HERS }]) {
        const { redemptions: _, ...rows } = (await call('count', whom)).rows ?? {}
        assert.ok(
          Object.values(rows).every((count) => count === 0),
          JSON.stringify(rows),
        )
      }
      assert.deepEqual((await call('count', { user: 'ben' })).rows, before)
      assert.equal((await engine.decide(NEWS, HERS, 'anna')).json.verdict, 'warn', 'the session has ended')
      assert.equal((await engine.decide(NEWS, OTHERS, 'ben')).json.verdict, 'allow')
      for (const [where, table] of [
        [location, 'engine_event'],
        [location, 'engine_session'],
        [journalLocation, 'journal_stop'],
      ] as const) {
        const rows = (await query(where, `select * from ${table}`)).filter((row) => JSON.stringify(row).includes(HERS))
        assert.ok(rows.length <= (table === 'journal_stop' ? 1 : 0), table)
      }
      const events = await query(location, "select * from engine_event where event = 'person.deleted'")
      assert.partialDeepStrictEqual(events[0], {
        acted_by: BY,
        ended: 1,
        client: null,
        user_name: null,
        reference: null,
      })
      const logged = engine.logged().filter(({ event }) => event === 'person.deleted')
      assert.partialDeepStrictEqual(logged, [{ by: BY, ended: 1 }, { by: BY }])
      assert.doesNotMatch(JSON.stringify(logged), /anna|198\.51/)
    })

    // The statements of the rest are the same in both dialects.
    if (dialect === 'postgres') return

    test('rows with pseudonyms are hers as long as their key exists', async (t) => {
      const { call, live, engine, journalLocation } = await start(t)
      await live()
      engine.pass(4 * 86_400)
      await engine.journal?.retain()
      const plain = await query(journalLocation, "select 1 from journal_stop where client not like '~%'")
      assert.equal(plain.length, 0)
      assert.partialDeepStrictEqual((await call('count', { user: 'anna' })).rows, { stops: 3 })
      assert.partialDeepStrictEqual((await call('count', { client: HERS })).rows, { stops: 3 })
      const { stops } = await call('show', { user: 'anna' })
      assert.ok((stops as unknown as Json[]).every(({ pseudonymised }) => pseudonymised === true))
      assert.partialDeepStrictEqual((await call('delete', { user: 'anna', by: BY })).deleted, { stops: 3 })
      assert.equal((await query(journalLocation, 'select 1 from journal_stop')).length, 3)
    })

    test('a count of wrong codes stays until it ends, so that a deletion allows no new guess', async (t) => {
      const { call, engine } = await start(t)
      const verdict = await engine.verdict(LAB, HERS, 'anna')
      for (const code of ['11111', '22222']) await engine.acknowledge(verdict, code)
      const { deleted, kept } = await call('delete', { user: 'anna', by: BY })
      assert.equal(deleted?.attempts, 0)
      assert.partialDeepStrictEqual(kept, { attempts: { rows: 1 } })
      assert.equal((await engine.acknowledge(verdict, '80361')).status, 429)
      assert.equal((await call('delete', { user: 'anna', by: BY, attempts: true })).deleted?.attempts, 1)
      assert.equal((await engine.acknowledge(verdict, '80361')).status, 302)
    })

    test('a verdict that was redeemed is not redeemed again after a deletion', async (t) => {
      const { call, engine } = await start(t)
      const verdict = await engine.verdict(NEWS, HERS, 'anna')
      await engine.acknowledge(verdict)
      const { kept } = await call('delete', { user: 'anna', by: BY })
      assert.partialDeepStrictEqual(kept, { redemptions: { rows: 1 } })
      await engine.acknowledge(verdict)
      assert.equal((await engine.decide(NEWS, HERS, 'anna')).json.verdict, 'warn')
    })
  })
}

test('retention: what the policy sets', async (t) => {
  const [sqlite] = databases
  const journal = await (sqlite ?? assert.fail()).create(t)
  const engine = await startEngine(t, POLICY, { location: stateOf(journal), journal })
  const { json } = await engine.administer('privacy/retention', {})
  assert.deepEqual(json, {
    journal: { days: 14, person_days: 3, hosts: true, postgresql: false },
    state: { postgresql: false, session_minutes: 60 },
    memory: 10_000,
    log: { allowed: true, hosts: false },
  })
  const without = await startEngine(t, POLICY)
  assert.equal((await without.administer('privacy/retention', {})).json.journal, null)
})
