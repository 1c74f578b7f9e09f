import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdsUp } from '../../bench/guard-rule.ts'
import { median, quotients, spreadOf } from '../../bench/statistics.ts'

test('the median of an even number lies between the two in the middle', () => {
  assert.equal(median([9, 1, 5]), 5)
  assert.equal(median([10, 1, 5, 2]), 3.5)
  assert.ok(Number.isNaN(median([])))
})

test('a spread is the median, the least and the most', () => {
  assert.deepEqual(spreadOf([3, 100, 1]), { median: 3, least: 1, most: 100 })
})

test('a ratio is taken within its round', () => {
  // A machine that halves in speed from one round to the next leaves it as it is.
  assert.deepEqual(quotients([50, 25], [100, 50]), [0.5, 0.5])
  assert.deepEqual(quotients([50, 25, 10], [100, 50]), [0.5, 0.5])
})

test('the guard passes from three quarters of the recorded ratio on', async () => {
  const attempts: number[] = []
  const measuring =
    (...medians: number[]) =>
    async () => {
      attempts.push(1)
      return { ...spreadOf([0, 9]), median: medians.shift() ?? Number.NaN }
    }
  assert.equal(await holdsUp(0.4, measuring(0.301)), true)
  assert.equal(attempts.length, 1)
  assert.equal(await holdsUp(0.4, measuring(0.29, 0.31)), true, 'a second chance')
  assert.equal(attempts.length, 3)
  assert.equal(await holdsUp(0.4, measuring(0.29, 0.29, 0.4)), false)
  assert.equal(attempts.length, 5)
  assert.equal(await holdsUp(0.4, measuring(Number.NaN, Number.NaN)), false)
})
