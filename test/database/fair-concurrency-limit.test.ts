import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createFairConcurrencyLimit } from '../../src/database/fair-concurrency-limit.ts'

test('runs at most the limit at once, the others in order of arrival', async () => {
  const admit = createFairConcurrencyLimit(2, 5_000)
  const entered: number[] = []
  let atOnce = 0
  const visit = (number: number) =>
    admit(async () => {
      entered.push(number)
      assert.ok(++atOnce <= 2)
      await setImmediate()
      atOnce--
      return number
    })
  assert.deepEqual(await Promise.all([0, 1, 2, 3, 4].map(visit)), [0, 1, 2, 3, 4])
  assert.deepEqual(entered, [0, 1, 2, 3, 4])
})

test('a request that times out in the queue frees its position', async () => {
  const admit = createFairConcurrencyLimit(1, 20)
  const held = Promise.withResolvers<void>()
  const first = admit(() => held.promise)
  const other = admit(async () => assert.fail('there was no free slot'))
  await assert.rejects(other, /timed out after \d+ ms in the database queue/)
  const next = admit(async () => 'in')
  held.resolve()
  await first
  assert.equal(await next, 'in')
})

test('the timeout ends when the work starts, however long it takes', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const admit = createFairConcurrencyLimit(1, 30)
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const works = [admit(() => first.promise), admit(() => second.promise)]
  first.resolve()
  await works[0]
  t.mock.timers.tick(20)
  const third = admit(async () => 'in')
  // The second one would time out here, the third one would not.
  t.mock.timers.tick(20)
  second.resolve()
  await works[1]
  assert.equal(await third, 'in')
})

test('failed work frees its slot', async () => {
  const admit = createFairConcurrencyLimit(1, 5_000)
  const failing = admit(async () => {
    throw new Error('a fault')
  })
  const next = admit(async () => 'in')
  await assert.rejects(failing, /a fault/)
  assert.equal(await next, 'in')
})

test('waiting clients are served round robin, each with its oldest request', async () => {
  const admit = createFairConcurrencyLimit(1, 5_000)
  const begun: string[] = []
  const first = Promise.withResolvers<void>()
  const works = [admit(() => first.promise, 'a')]
  for (const [client, name] of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) => [name[0], name])) {
    works.push(admit(async () => void begun.push(name as string), client))
  }
  first.resolve()
  await Promise.all(works)
  assert.deepEqual(begun, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('a client whose requests time out leaves the queue', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const admit = createFairConcurrencyLimit(1, 30)
  const first = Promise.withResolvers<void>()
  const work = admit(() => first.promise)
  const timedOut = [admit(async () => 'in', 'a'), admit(async () => 'in', 'a')]
  t.mock.timers.tick(20)
  const other = admit(async () => 'in', 'b')
  const again = admit(async () => 'in', 'a')
  t.mock.timers.tick(20)
  for (const one of timedOut) await assert.rejects(one, /timed out after \d+ ms in the database queue/)
  first.resolve()
  await work
  assert.deepEqual(await Promise.all([other, again]), ['in', 'in'])
})
