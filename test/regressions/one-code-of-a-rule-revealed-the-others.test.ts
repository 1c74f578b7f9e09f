// A right code reset the count of wrong ones, also where the rule had several codes: who had one of them, a guest with a PIN that
// expires, for example, could guess the others without ever being locked out: four wrong ones, then the own one, and so on. All
// 10,000 PINs took half a minute. Since the first version of the engine; found by an attack.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { attempt, LIMITS, movableClock, newKeys, openEngine, redemption } from '../engine/state/fixture.ts'
import { databases } from '../support/databases.ts'

for (const { name, skip, create } of databases) {
  describe(name, { skip }, () => {
    /** Wrong codes until a lockout, with the own code after every fourth; at most 40. */
    async function guess(t: Parameters<typeof newKeys>[0], isOneOfSeveral: boolean): Promise<number> {
      const location = await create(t)
      const keys = await newKeys(t)
      const engines = [await openEngine(t, location, { keys }), await openEngine(t, location, { keys })]
      for (let number = 0; number < 40; number++) {
        const state = engines[number % 2] ?? assert.fail()
        if ((await state.reserveAttempt(attempt(`${1000 + number}`))).kind === 'locked out') return number
        if (number % 4 !== 3) continue
        // Sent twice, as a browser does after a broken connection.
        for (let sent = 0; sent < 2; sent++) {
          if ((await state.reserveAttempt(attempt('own'))).kind === 'locked out') return number + 1
          await state.redeem(
            redemption({
              reference: attempt('').reference,
              rightCode: { code: 'own', isOneOfSeveral, lockoutMs: LIMITS.lockoutMs },
            }),
          )
        }
      }
      return 40
    }

    test('of several codes, one does not help to guess the others', async (t) => {
      assert.equal(await guess(t, true), 5)
    })

    test('the only code of a rule resets the count', async (t) => {
      assert.equal(await guess(t, false), 40)
    })

    test('right codes in between do not keep wrong ones from expiring', async (t) => {
      const location = await create(t)
      const { clock, pass } = await movableClock(location)
      const state = await openEngine(t, location, { clock })
      for (const code of ['1111', '2222', '3333']) await state.reserveAttempt(attempt(code))
      const rightCode = { code: 'own', isOneOfSeveral: true, lockoutMs: LIMITS.lockoutMs }
      for (const part of [0.4, 0.4]) {
        await pass(part * LIMITS.lockoutMs)
        assert.equal((await state.reserveAttempt(attempt('own'))).kind, 'reserved')
        await state.redeem(redemption({ reference: attempt('').reference, rightCode }))
      }
      await pass(0.3 * LIMITS.lockoutMs)
      assert.deepEqual(await state.reserveAttempt(attempt('4444')), { kind: 'reserved', left: 4 })
    })

    test('a right code does not count itself, however often it is used', async (t) => {
      const state = await openEngine(t, await create(t))
      for (let used = 0; used < 12; used++) {
        const reservation = await state.reserveAttempt(attempt('own'))
        assert.deepEqual(reservation, { kind: 'reserved', left: 4 })
        await state.redeem(
          redemption({
            reference: attempt('').reference,
            rightCode: { code: 'own', isOneOfSeveral: true, lockoutMs: LIMITS.lockoutMs },
          }),
        )
      }
    })
  })
}
