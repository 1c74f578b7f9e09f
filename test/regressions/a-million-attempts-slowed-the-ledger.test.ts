// For each response of the engine the ledger read every attempt of its verdict. A payload opens for as long as its
// secret is in use, and each acknowledgement of it is an attempt, so a visitor with one old payload could slow down
// every further response: 190 ms with half a million attempts, in the only thread for acceptances. Now a verdict has at
// most 50 attempts; a ledger with more attempts rejects the next one as fast as it recorded the first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLedger } from '../../src/ledger/ledger.ts'
import { acceptanceRequest, begun, NOW, newReference } from '../ledger/fixture.ts'
import { databases, query } from '../support/databases.ts'

const ATTEMPTS = 250_000

for (const database of databases.filter(({ name }) => name === 'SQLite')) {
  test(`${database.name}: with a quarter of a million attempts, the next one takes as long as the first`, async (t) => {
    const location = await database.create(t)
    const ledger = await openLedger(location, { clock: () => NOW, migrate: true })
    t.after(() => ledger.close())
    const [crowded, fresh] = [newReference(), newReference()]
    const quickest = async (reference: string) => {
      const times: number[] = []
      for (let round = 0; round < 5; round++) {
        const startedAt = performance.now()
        const attempt = await ledger.beginAttempt(acceptanceRequest({ reference }))
        if (attempt !== 'exhausted') await ledger.completeAttempt(attempt, 410)
        times.push(performance.now() - startedAt)
      }
      return Math.min(...times)
    }
    const before = await quickest(fresh)
    await ledger.completeAttempt(begun(await ledger.beginAttempt(acceptanceRequest({ reference: crowded }))), 410)
    await query(
      location,
      `with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${ATTEMPTS})
       insert into attempt (id, jti, asked_at, answered_at, engine_status)
       select 'attempt-' || i, '${crowded}', '2026-11-20', '2026-11-20', 410 from numbers`,
    )
    await query(location, `update acceptance set attempts = ${ATTEMPTS + 1} where jti = '${crowded}'`)
    const after = await quickest(crowded)
    assert.ok(after < before + 60, `${after} ms, at first ${before} ms`)
    const rows = await query(location, `select distinct state from acceptance where jti = '${crowded}'`)
    assert.deepEqual(
      rows.map(({ state }) => state),
      ['refused'],
    )
  })
}
