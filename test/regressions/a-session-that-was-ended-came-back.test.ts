// Ending a session set its end to the current time. When the clock was set back afterwards, that end was in the future:
// the session held again until then, in every engine that looked it up or was restarted. A clock that is two hours fast
// until the machine has asked a time server gave two hours.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HOUR, movableClock, newKeys, openEngine, RULE, redemption, SOMEONE } from '../engine/state/fixture.ts'
import { databases, query } from '../support/databases.ts'

for (const { name, skip, create } of databases) {
  describe(name, { skip }, () => {
    test('a session that was ended stays ended when the clock is set back', async (t) => {
      const location = await create(t)
      const { clock, pass } = await movableClock(location)
      const keys = await newKeys(t)
      const state = await openEngine(t, location, { clock, keys })
      await state.redeem(redemption())
      assert.equal(await state.endSessions({}), 1)
      await pass(-2 * HOUR)
      assert.equal(await state.findSession(RULE, SOMEONE), false)
      assert.deepEqual(await state.sessions({}, 10), [])
      assert.equal((await state.counts()).sessions, 0)
      const restarted = await openEngine(t, location, { clock, keys })
      assert.equal(restarted.hasSession(RULE, SOMEONE), false)
      await state.redeem(redemption())
      assert.equal(await restarted.findSession(RULE, SOMEONE), true, 'a new one holds')
    })

    test('its row is deleted after an hour, when every engine has followed', async (t) => {
      const location = await create(t)
      const { clock, pass } = await movableClock(location)
      const state = await openEngine(t, location, { clock })
      await state.redeem(redemption({ sessionMs: 3 * HOUR }))
      await state.endSessions({})
      const rows = async () => (await query(location, 'select holder from engine_session')).length
      await pass(HOUR / 2)
      await state.prune()
      assert.equal(await rows(), 1)
      await pass(HOUR)
      await state.prune()
      assert.equal(await rows(), 0)
    })

    test('control: a session that nobody ended holds', async (t) => {
      const location = await create(t)
      const { clock, pass } = await movableClock(location)
      const state = await openEngine(t, location, { clock })
      await state.redeem(redemption())
      await pass(-2 * HOUR)
      assert.equal(await state.findSession(RULE, SOMEONE), true)
    })
  })
}
