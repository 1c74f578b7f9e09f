import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdsUp } from '../../bench/guard-rule.ts'
import { type Estimate, estimateOf, median, quotients, verdictOf } from '../../bench/statistics.ts'

const row = (count: number, value: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => value(index))
const estimate = (low: number, high: number, rounds = 24): Estimate => ({ median: (low + high) / 2, low, high, rounds })

test('the median of an even number of values is between the two in the middle', () => {
  assert.equal(median([9, 1, 5]), 5)
  assert.equal(median([10, 1, 5, 2]), 3.5)
  assert.ok(Number.isNaN(median([])))
})

test('a ratio is computed within its round', () => {
  // A machine whose speed halves from one round to the next does not change it.
  assert.deepEqual(quotients([50, 25], [100, 50]), [0.5, 0.5])
  assert.deepEqual(quotients([50, 25, 10], [100, 50]), [0.5, 0.5])
})

test('the same rounds give the same interval around the median', (t) => {
  t.mock.method(Math, 'random', () => assert.fail('not reproducible'))
  const rounds = row(24, (index) => 0.8 + ((index * 7) % 24) / 100)
  const first = estimateOf(rounds)
  assert.deepEqual(estimateOf(rounds), first)
  assert.deepEqual([first.rounds, first.median.toFixed(3)], [24, '0.915'])
  assert.ok(first.low > 0.8 && first.low < first.median && first.median < first.high && first.high < 1.03)
})

test('one outlier moves the mean, not the interval', () => {
  const calm = row(24, (index) => 1 + (index % 5) / 100)
  const { low, high } = estimateOf(calm.with(3, 100))
  assert.ok(low >= 1 && high <= 1.04, `${low} to ${high}`)
})

test('of 100 samples with a known median about 95 % have an interval that contains it', () => {
  let state = 1
  const random = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  const hits = row(100, () => 0).filter(() => {
    // Skewed, as measurements are.
    const { low, high } = estimateOf(row(24, () => -Math.log(random())))
    return low <= Math.LN2 && Math.LN2 <= high
  })
  assert.ok(hits.length > 88 && hits.length < 100, `${hits.length}`)
})

test('no value gives no interval, and a single value gives itself', () => {
  for (const values of [[], [1, Number.NaN]]) assert.ok(Number.isNaN(estimateOf(values).low))
  assert.deepEqual(estimateOf([3]), { median: 3, low: 3, high: 3, rounds: 1 })
})

test('a target is met when the whole interval reaches it, missed when none of it does, otherwise open', () => {
  for (const [low, high, target, verdict] of [
    [0.85, 0.99, { atLeast: 0.85 }, 'met'],
    [0.84, 0.99, { atLeast: 0.85 }, 'open'],
    [0.7, 0.85, { atLeast: 0.85 }, 'open'],
    [0.7, 0.849, { atLeast: 0.85 }, 'missed'],
    [3, 5, { atMost: 5 }, 'met'],
    [3, 5.1, { atMost: 5 }, 'open'],
    [5.1, 6, { atMost: 5 }, 'missed'],
    [Number.NaN, Number.NaN, { atMost: 1 }, undefined],
  ] as const) {
    assert.equal(verdictOf(estimate(low, high), target), verdict)
  }
  assert.equal(verdictOf(estimate(0.9, 0.99, 23), { atLeast: 0.85 }), undefined, 'fewer than 24 rounds')
})

test('the guard fails when the whole interval is below 85 % of the recorded ratio, twice', async () => {
  let attempts = 0
  const measuring = (...estimates: Estimate[]) => {
    attempts = 0
    return async () => {
      attempts++
      return estimates.shift() ?? estimateOf([])
    }
  }
  assert.equal(await holdsUp(0.4, measuring(estimate(0.34, 0.42))), true, 'met')
  assert.equal(await holdsUp(0.4, measuring(estimate(0.3, 0.35))), true, 'open')
  assert.equal(attempts, 1)
  assert.equal(await holdsUp(0.4, measuring(estimate(0.3, 0.33), estimate(0.3, 0.35))), true, 'a second attempt')
  assert.equal(attempts, 2)
  assert.equal(await holdsUp(0.4, measuring(estimate(0.3, 0.33), estimate(0.3, 0.33), estimate(0.4, 0.4))), false)
  assert.equal(attempts, 2)
  assert.equal(await holdsUp(0.4, measuring()), false, 'nothing was measured')
})
