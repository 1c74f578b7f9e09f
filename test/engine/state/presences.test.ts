// Reported users: they survive a restart, reach every engine, and end everywhere.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases, query } from '../../support/databases.ts'
import { until } from '../../support/until.ts'
import { HOUR, movableClock, newKeys, openEngine } from './fixture.ts'

const PHONE = '192.168.50.7'
const always = () => true

for (const { name, skip, create } of databases) {
  describe(`reported users, ${name}`, { skip }, () => {
    test('a report holds until its end, and at most twelve hours', async (t) => {
      const location = await create(t)
      const { clock, pass } = await movableClock(location)
      const state = await openEngine(t, location, { clock })
      const end = clock() + 100 * HOUR
      const first = await state.reportPresence({ address: PHONE, user: 'mia', until: end })
      assert.ok(first.kind === 'stored' && first.previous === undefined)
      const second = await state.reportPresence({ address: PHONE, user: 'tim', until: end })
      assert.ok(second.kind === 'stored' && second.previous === 'mia')
      await pass(12 * HOUR - 60_000)
      await state.sync()
      assert.equal(state.userAt(PHONE), 'tim')
      await pass(60_000)
      await state.sync()
      assert.equal(state.userAt(PHONE), undefined)
      const third = await state.reportPresence({ address: PHONE, user: 'mia', until: clock() + HOUR })
      assert.ok(third.kind === 'stored' && third.previous === undefined, 'the one before had expired')
    })

    test('a restart keeps reports that have not ended', async (t) => {
      const location = await create(t)
      const keys = await newKeys(t)
      const state = await openEngine(t, location, { keys })
      for (const address of [PHONE, '2001:db8::7']) {
        await state.reportPresence({ address, user: 'mia', until: Date.now() + HOUR })
      }
      assert.equal(await state.endPresence('2001:db8::7', always), 'mia')
      assert.equal(await state.endPresence('2001:db8::7', always), undefined)
      assert.equal(await state.endPresence(PHONE, (user) => user === 'tim'), undefined)
      await state.close()
      const restarted = await openEngine(t, location, { keys })
      assert.deepEqual([restarted.userAt(PHONE), restarted.userAt('2001:db8::7')], ['mia', undefined])
    })

    test('another engine follows: a report, its replacement, its end', async (t) => {
      const location = await create(t)
      const keys = await newKeys(t)
      const [one, other] = [await openEngine(t, location, { keys }), await openEngine(t, location, { keys })]
      const follows = (user: string | undefined) => until(() => other.userAt(PHONE) === user)
      await one.reportPresence({ address: PHONE, user: 'mia', until: Date.now() + HOUR })
      await follows('mia')
      await one.reportPresence({ address: PHONE, user: 'tim', until: Date.now() + HOUR })
      await follows('tim')
      assert.equal(await other.endPresence(PHONE, always), 'tim')
      assert.equal(other.userAt(PHONE), undefined, 'at once, in the engine that ends it')
      await until(() => one.userAt(PHONE) === undefined)
    })

    test('what has ended long ago is deleted; a full table takes no further address, but changes', async (t) => {
      const location = await create(t)
      const { clock, pass } = await movableClock(location)
      const state = await openEngine(t, location, { clock, capacity: { presences: 2 } })
      const report = (address: string, user = 'mia') =>
        state.reportPresence({ address, user, until: clock() + HOUR }).then(({ kind }) => kind)
      assert.deepEqual(
        [await report(PHONE), await report('10.0.0.2'), await report('10.0.0.3')],
        ['stored', 'stored', 'full'],
      )
      assert.equal(await report(PHONE, 'tim'), 'stored')
      assert.deepEqual([state.userAt(PHONE), state.userAt('10.0.0.3')], ['tim', undefined])
      await state.endPresence('10.0.0.2', always)
      await pass(HOUR + 60_000)
      await state.sync()
      await state.prune()
      assert.equal(
        (await query(location, 'select * from engine_presence')).length,
        1,
        'another engine may not know yet',
      )
      await pass(HOUR)
      await state.sync()
      await state.prune()
      assert.equal((await query(location, 'select * from engine_presence')).length, 0)
      assert.equal(await report('10.0.0.3'), 'stored')
    })
  })
}
