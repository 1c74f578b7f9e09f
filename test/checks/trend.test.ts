// The statistics that decide a soak.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growth, rise, slope } from '../../checks/soak/trend.ts'

const row = (...values: number[]) => values.map((value, at) => ({ at, value }))

test('the slope is that of most pairs, whatever single outliers', () => {
  assert.equal(slope(row(1, 3, 5, 7, 9)), 2)
  assert.equal(slope(row(5, 5, 5, 500, 5, 5, 5)), 0)
  assert.equal(slope(row(9, 8, 7)), -1)
  assert.equal(slope([]), 0)
})

test('a leak raises the median; resources in use or closed for a while do not', () => {
  assert.equal(rise(row(20, 40, 20, 50, 20, 60, 20, 3, 20)), 0)
  assert.equal(rise(row(20, 20, 40, 22, 50, 22, 24, 24, 60)), 4)
})

test('growth is measured after a sixth of the time, and single samples do not matter', () => {
  const hour = (value: (minute: number) => number) =>
    Array.from({ length: 60 }, (_, minute) => ({ at: minute * 60, value: value(minute) }))
  assert.equal(
    growth(
      hour(() => 100),
      3600,
    ),
    0,
  )
  assert.equal(
    growth(
      hour((minute) => (minute < 10 ? minute * 10 : 100)),
      3600,
    ),
    0,
  )
  assert.equal(
    growth(
      hour((minute) => (minute === 57 ? 900 : 100)),
      3600,
    ),
    0,
  )
  assert.equal(
    growth(
      hour((minute) => 100 + minute),
      3600,
    ),
    45 / 112,
  )
  assert.equal(
    growth(
      hour((minute) => 200 - minute),
      3600,
    ),
    -45 / 188,
  )
})
