// Attempts at codes: counted before the code is compared, by all engines together.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { NewAttempt, Reservation } from '../../../src/engine/state/attempts.ts'
import type { EngineState } from '../../../src/engine/state/state.ts'
import { databases, query } from '../../support/databases.ts'
import { attempt, identity, LIMITS, movableClock, newKeys, newReference, openEngine, redemption } from './fixture.ts'

const left = (reservation: Reservation) => (reservation.kind === 'reserved' ? reservation.left : reservation.kind)

/** In one of the engines, by the number. */
async function reserve(engines: readonly EngineState[], number: number, guess: NewAttempt) {
  const engine = engines[number % engines.length] ?? assert.fail()
  return left(await engine.reserveAttempt(guess))
}

for (const { name, skip, create } of databases) {
  describe(`attempts, ${name}`, { skip }, () => {
    test('two engines at once never grant one more than the limit', async (t) => {
      const location = await create(t)
      const keys = await newKeys(t)
      const engines = [await openEngine(t, location, { keys }), await openEngine(t, location, { keys })]
      const guesses = Array.from({ length: 20 }, (_, number) => attempt(`${1000 + number}`))
      const all = await Promise.all(guesses.map((guess, number) => reserve(engines, number, guess)))
      const granted = all.filter((one) => one !== 'locked out')
      assert.deepEqual(granted.toSorted(), [0, 1, 2, 3, 4])
      assert.equal(await reserve(engines, 1, attempt('9999')), 'locked out')
    })

    test('identical requests at once count once, in two engines too', async (t) => {
      const location = await create(t)
      const keys = await newKeys(t)
      const engines = [await openEngine(t, location, { keys }), await openEngine(t, location, { keys })]
      const all = Array.from({ length: 12 }, (_, number) => reserve(engines, number, attempt('1111')))
      assert.deepEqual(await Promise.all(all), Array(12).fill(4))
    })

    test('a repeated request counts once within five seconds', async (t) => {
      const location = await create(t)
      const { clock, pass } = await movableClock(location)
      const state = await openEngine(t, location, { clock })
      const limits = { attempts: 20, lockoutMs: 900_000 }
      const guess = async (code: string, changes = {}) =>
        left(await state.reserveAttempt(attempt(code, { limits, ...changes })))
      assert.deepEqual([await guess('1111'), await guess('2222'), await guess('1111')], [19, 18, 18])
      await pass(2_000)
      assert.equal(await guess('1111'), 18)
      await pass(3_100)
      assert.equal(await guess('1111'), 17, 'another guess')
      await pass(3_000)
      assert.equal(await guess('1111'), 17, 'repeats the second one')
      assert.equal(await guess('1111', { reference: newReference() }), 16, 'of another verdict')
    })

    test('a lockout ends after its length, and a count as long after its last attempt', async (t) => {
      const location = await create(t)
      const { clock, pass } = await movableClock(location)
      const state = await openEngine(t, location, { clock })
      const guess = async (code: string) =>
        await state.reserveAttempt(attempt(code, { limits: { ...LIMITS, attempts: 2 } }))
      assert.equal(left(await guess('1111')), 1)
      await pass(LIMITS.lockoutMs - 5_000)
      assert.equal(left(await guess('2222')), 0)
      await pass(10_000)
      const locked = await guess('3333')
      assert.equal(locked.kind, 'locked out')
      const retryAfter = locked.kind === 'locked out' ? locked.retryAfterMs : 0
      assert.ok(retryAfter > LIMITS.lockoutMs - 15_000 && retryAfter <= LIMITS.lockoutMs - 10_000, `${retryAfter}`)
      assert.equal((await state.lockouts({}, 10)).length, 1)
      await pass(LIMITS.lockoutMs - 10_000)
      assert.equal(left(await guess('3333')), 1, 'counted from the beginning')
      await pass(LIMITS.lockoutMs)
      assert.equal(left(await guess('4444')), 1)
    })

    test('a code that is repeated when the lockout has ended counts', async (t) => {
      const location = await create(t)
      const { clock, pass } = await movableClock(location)
      const state = await openEngine(t, location, { clock })
      const limits = { attempts: 1, lockoutMs: 4_000 }
      const guess = async (code: string) => left(await state.reserveAttempt(attempt(code, { limits })))
      assert.equal(await guess('1111'), 0)
      await pass(3_000)
      assert.deepEqual([await guess('2222'), await guess('3333')], ['locked out', 'locked out'])
      await pass(1_100)
      assert.deepEqual([await guess('2222'), await guess('3333')], [0, 'locked out'])
    })

    test('a restart gives no guess more', async (t) => {
      const location = await create(t)
      const keys = await newKeys(t)
      for (const remaining of [4, 3, 2, 1, 0, 'locked out']) {
        const state = await openEngine(t, location, { keys })
        assert.equal(left(await state.reserveAttempt(attempt(`${remaining}`))), remaining)
        await state.close()
      }
    })

    test('they belong to the user, or to the IPv4 address or IPv6 /64, and to the rule', async (t) => {
      const state = await openEngine(t, await create(t))
      const guess = async (address: string, user?: string, rule = 'a rule') =>
        left(await state.reserveAttempt(attempt(newReference(), { identity: identity(address, user), rule })))
      assert.deepEqual([await guess('2001:db8::1'), await guess('2001:db8::2')], [4, 3])
      assert.equal(await guess('2001:db8:0:1::1'), 4)
      assert.deepEqual([await guess('192.0.2.1', 'alice'), await guess('192.0.2.2', 'alice')], [4, 3])
      assert.equal(await guess('192.0.2.1', 'bob'), 4)
      assert.equal(await guess('192.0.2.1'), 4)
      assert.equal(await guess('192.0.2.1', undefined, 'another rule'), 4)
    })

    test('a right code and an administrator reset the count', async (t) => {
      const location = await create(t)
      const state = await openEngine(t, location)
      await state.reserveAttempt(attempt('1111'))
      await state.redeem(redemption())
      assert.equal(left(await state.reserveAttempt(attempt('2222'))), 3, 'without a code nothing is reset')
      const rightCode = { code: 'right', isOneOfSeveral: false, lockoutMs: LIMITS.lockoutMs }
      await state.redeem(redemption({ rightCode }))
      assert.equal(left(await state.reserveAttempt(attempt('1111'))), 4)
      for (const code of ['1', '2', '3', '4']) await state.reserveAttempt(attempt(code))
      assert.deepEqual(
        (await state.lockouts({}, 10)).map(({ client }) => client),
        ['198.51.100.7'],
      )
      assert.deepEqual(await state.counts(), { sessions: 1, lockouts: 1 })
      assert.equal(await state.endLockouts({ client: '198.51.100.7' }), 1)
      assert.equal(left(await state.reserveAttempt(attempt('1111'))), 4)
    })

    test('no code is stored in a form that can be tried', async (t) => {
      const location = await create(t)
      const state = await openEngine(t, location)
      await state.reserveAttempt(attempt('274913'))
      const [row] = await query(location, 'select recent from engine_attempt')
      assert.match(String(row?.recent), /^ [\w-]{16}:\d{13}$/)
    })
  })
}
