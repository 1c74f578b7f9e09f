// Faults of both databases: the ledger fails in time, with its one error, and loses nothing that it acknowledged.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { databases, query } from '../support/databases.ts'
import {
  acceptanceRequest,
  assertUnavailable,
  lockOut,
  openReplica,
  raiseFault,
  slowDown,
  storedAcceptance,
  storedAttempts,
} from './fixture.ts'

for (const { name, skip, dialect, create } of databases) {
  describe(`faults, ${name}`, { skip, timeout: 60_000 }, () => {
    for (const table of ['acceptance', 'attempt']) {
      test(`a trigger that raises on inserting an ${table}: nothing is recorded`, async (t) => {
        const location = await create(t)
        const ledger = await openReplica(t, location)
        const mend = await raiseFault(location, 'insert', table)
        const request = acceptanceRequest()
        await assertUnavailable(ledger.beginAttempt(request), /refuses it/)
        assert.equal(await storedAcceptance(location, request.reference), undefined)
        assert.deepEqual(await storedAttempts(location, request.reference), [])
        await mend()
        await ledger.beginAttempt(request)
      })

      test(`a trigger that raises on updating an ${table}: the acceptance stays pending`, async (t) => {
        const location = await create(t)
        const ledger = await openReplica(t, location)
        const request = acceptanceRequest()
        const attempt = await ledger.beginAttempt(request)
        const mend = await raiseFault(location, 'update', table)
        await assertUnavailable(ledger.completeAttempt(attempt, 302), /refuses it/)
        assert.equal((await storedAcceptance(location, request.reference))?.state, 'pending')
        assert.equal((await storedAttempts(location, request.reference))[0]?.answered_at, null)
        await mend()
        await ledger.completeAttempt(attempt, 302)
        assert.equal((await storedAcceptance(location, request.reference))?.state, 'accepted')
      })
    }

    test('a locked database: many requests fail in time, the event loop is not blocked, and it recovers', async (t) => {
      const location = await create(t)
      const ledger = await openReplica(t, location)
      const attempt = await ledger.beginAttempt(acceptanceRequest())
      const unlock = await lockOut(location)
      let longestGap = 0
      let last = performance.now()
      const ticking = setInterval(() => {
        longestGap = Math.max(longestGap, performance.now() - last)
        last = performance.now()
      }, 10)
      await Promise.all([
        assertUnavailable(ledger.completeAttempt(attempt, 302)),
        assertUnavailable(ledger.ping()),
        ledger.waiting().then((waiting) => assert.equal(waiting, undefined)),
        ...Array.from({ length: 40 }, () => assertUnavailable(ledger.beginAttempt(acceptanceRequest()))),
      ])
      clearInterval(ticking)
      await unlock()
      assert.ok(longestGap < 1_000, `the event loop was blocked for ${longestGap} ms`)
      await ledger.completeAttempt(attempt, 302)
      assert.deepEqual(await query(location, 'select state from acceptance'), [{ state: 'accepted' }])
    })

    test('overload: many requests are rejected, and every attempt that was begun is completed', async (t) => {
      const location = await create(t)
      const ledger = await openReplica(t, location)
      await slowDown(location, dialect === 'sqlite' ? 20 : 100)
      const acknowledge = async () => {
        const attempt = await ledger.beginAttempt(acceptanceRequest()).catch(() => undefined)
        if (attempt === undefined) return 'rejected'
        return await ledger.completeAttempt(attempt, 302).then(
          () => 'completed',
          (error) => `not completed: ${error.message}`,
        )
      }
      const acknowledging: Promise<string>[] = []
      let rejected = 0
      for (; rejected < 50; await sleep(20)) {
        for (const outcome of Array.from({ length: 8 }, acknowledge)) {
          acknowledging.push(outcome)
          void outcome.then((text) => text === 'rejected' && rejected++)
        }
      }
      const outcomes = await Promise.all(acknowledging)
      assert.deepEqual(new Set(outcomes), new Set(['rejected', 'completed']))
      const rows = await query(location, `select id from acceptance where state = 'accepted'`)
      assert.equal(rows.length, outcomes.filter((outcome) => outcome === 'completed').length)
    })
  })
}
