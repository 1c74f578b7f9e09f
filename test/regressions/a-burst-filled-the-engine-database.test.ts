// The engine stores at most 20,000 URLs that are too long for a payload, and counts wrong codes for at most 200,000
// clients. The rows were counted once a minute, and for the first time a minute after the start: until then there was no
// limit. In that minute one visitor could store 58,000 URLs, half a gigabyte, and as many again after each restart.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { attempt, HOUR, identity, LIMITS, newKeys, openEngine } from '../engine/state/fixture.ts'
import { databases, query } from '../support/databases.ts'
import { until } from '../support/until.ts'

const CAPACITY = { attempts: 8, urls: 60 }
/** On PostgreSQL, transactions that run at the same time. */
const MORE = 6

for (const { name, skip, create } of databases) {
  describe(name, { skip }, () => {
    test('a burst of long URLs stores no more of them than there is room for, after a restart too', async (t) => {
      const location = await create(t)
      const keys = await newKeys(t)
      const stored = async () => (await query(location, 'select digest from engine_url')).length
      for (const run of [1, 2]) {
        const state = await openEngine(t, location, { keys, capacity: CAPACITY })
        for (let number = 0; number < 400; number++) {
          state.rememberUrl({ digest: `${run} ${number}`, url: 'https://news.example/', milliseconds: HOUR })
        }
        // Waits until they are written.
        await state.close()
        assert.equal(await stored(), CAPACITY.urls)
      }
    })

    test('wrong codes of many clients at once are counted for no more than there is room for', async (t) => {
      const location = await create(t)
      const keys = await newKeys(t)
      const guess = (number: number) => attempt('1111', { identity: identity(`198.51.100.${number}`) })
      for (const _ of ['at first', 'after a restart']) {
        const state = await openEngine(t, location, { keys, capacity: CAPACITY })
        const all = await Promise.all(Array.from({ length: 40 }, (_, number) => state.reserveAttempt(guess(number))))
        const counted = all.filter(({ kind }) => kind === 'reserved').length
        assert.ok(counted >= CAPACITY.attempts && counted < CAPACITY.attempts + MORE, `${counted}`)
        await state.close()
      }
    })

    test('control: with room, all are stored and counted', async (t) => {
      const location = await create(t)
      const state = await openEngine(t, location)
      for (let number = 0; number < 400; number++) {
        state.rememberUrl({ digest: `${number}`, url: 'https://news.example/', milliseconds: HOUR })
      }
      await until(async () => (await query(location, 'select digest from engine_url')).length === 400, 10)
      const reservation = await state.reserveAttempt(attempt('1111'))
      assert.deepEqual(reservation, { kind: 'reserved', left: LIMITS.attempts - 1 })
    })
  })
}
