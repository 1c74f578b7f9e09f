// Redemptions: the first one of a verdict mints a session, in whatever engine; later ones mint nothing.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases, query } from '../../../support/databases.ts'
import { attempt, HOUR, openEngine, RULE, redemption, SOMEONE } from '../fixture.ts'

for (const { name, skip, dialect, create } of databases) {
  describe(`redemptions, ${name}`, { skip }, () => {
    test('a repeated one mints nothing, also in another engine, also after the session has ended', async (t) => {
      const location = await create(t)
      const [one, other] = [await openEngine(t, location), await openEngine(t, location)]
      const same = redemption()
      assert.deepEqual(await one.redeem(same), { repeated: false })
      assert.deepEqual(await one.redeem(same), { repeated: true })
      assert.deepEqual(await other.redeem(same), { repeated: true })
      await one.endSessions({})
      assert.deepEqual(await other.redeem(same), { repeated: true })
      assert.equal(await other.findSession(RULE, SOMEONE), false)
    })

    test('many at once in two engines: each verdict mints one session', async (t) => {
      const location = await create(t)
      const engines = [await openEngine(t, location), await openEngine(t, location)]
      const verdicts = Array.from({ length: 10 }, (_, number) => redemption({ rule: `rule-${number}` }))
      const results = await Promise.all(
        verdicts.flatMap((verdict) => engines.flatMap((engine) => [engine.redeem(verdict), engine.redeem(verdict)])),
      )
      assert.equal(results.filter(({ repeated }) => !repeated).length, verdicts.length)
      assert.equal((await engines[0]?.counts())?.sessions, verdicts.length)
    })

    test('a later one never shortens a session', async (t) => {
      const state = await openEngine(t, await create(t))
      await state.redeem(redemption({ sessionMs: 2 * HOUR }))
      const [long] = await state.sessions({}, 1)
      await state.redeem(redemption({ sessionMs: HOUR }))
      const [after] = await state.sessions({}, 1)
      assert.equal(after?.expiresAt, long?.expiresAt)
    })

    test('session, redemption and reset are one transaction', async (t) => {
      const location = await create(t)
      const state = await openEngine(t, location)
      await state.reserveAttempt(attempt('1111'))
      const mend = await failToInsertSessions()
      const verdict = redemption({ rightCode: { code: 'right', isOneOfSeveral: false, lockoutMs: 900_000 } })
      await assert.rejects(state.redeem(verdict), { name: 'StateUnavailable', message: /refuses it/ })
      assert.deepEqual(await query(location, 'select reference from engine_redemption'), [])
      assert.equal((await query(location, 'select used from engine_attempt')).length, 1)
      await mend()
      assert.deepEqual(await state.redeem(verdict), { repeated: false })
      assert.deepEqual(await query(location, 'select used from engine_attempt'), [])

      async function failToInsertSessions() {
        if (dialect === 'sqlite') {
          await query(
            location,
            `create trigger fault before insert on engine_session begin select raise(abort, 'a fault'); end`,
          )
          return () => query(location, 'drop trigger fault')
        }
        await query(
          location,
          `create function fault() returns trigger language plpgsql as $$ begin raise exception 'a fault'; end $$;
           create trigger fault before insert on engine_session for each row execute function fault()`,
        )
        return () => query(location, 'drop trigger fault on engine_session; drop function fault')
      }
    })
  })
}
