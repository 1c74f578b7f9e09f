// A verdict has 50 attempts on record at most, also when two replicas begin the last ones at once.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AttemptsExhausted } from '../../src/ledger/acceptances.ts'
import { databases } from '../support/databases.ts'
import { acceptanceRequest, openReplica, storedAcceptance, storedAttempts } from './fixture.ts'

for (const { name, dialect, skip, create } of databases) {
  describe(`the limit of attempts, ${name}`, { skip }, () => {
    test('the 51st is refused, and nothing of it is written', async (t) => {
      const location = await create(t)
      const replicas = [await openReplica(t, location)]
      if (dialect === 'postgres') replicas.push(await openReplica(t, location))
      const request = acceptanceRequest()
      for (let attempt = 1; attempt < 50; attempt++) {
        await replicas[0]?.completeAttempt(await (replicas[0] as (typeof replicas)[0]).beginAttempt(request), 403)
      }
      const last = await Promise.allSettled(
        Array.from({ length: 4 }, (_, index) =>
          (replicas[index % replicas.length] as (typeof replicas)[0]).beginAttempt(request),
        ),
      )
      const refused = last.filter((one) => one.status === 'rejected')
      assert.equal(refused.length, 3)
      for (const { reason } of refused) assert.ok(reason instanceof AttemptsExhausted, String(reason))
      assert.equal((await storedAttempts(location, request.reference)).length, 50)
      const acceptance = await storedAcceptance(location, request.reference)
      assert.deepEqual([acceptance?.attempts, acceptance?.state], [50, 'pending'])
      await replicas[0]?.beginAttempt(acceptanceRequest())
    })
  })
}
