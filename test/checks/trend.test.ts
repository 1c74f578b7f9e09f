// The two figures that a soak is judged by.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rise, slope } from '../../checks/soak/trend.ts'

const row = (...values: number[]) => values.map((value, at) => ({ at, value }))

test('a slope is that of most pairs, whatever single samples say', () => {
  assert.equal(slope(row(1, 3, 5, 7, 9)), 2)
  assert.equal(slope(row(5, 5, 5, 500, 5, 5, 5)), 0)
  assert.equal(slope(row(9, 8, 7)), -1)
  assert.equal(slope([]), 0)
})

test('what is lost makes the usual value rise, what is in use or gone for a while does not', () => {
  assert.equal(rise(row(20, 40, 20, 50, 20, 60, 20, 3, 20)), 0)
  assert.equal(rise(row(20, 20, 40, 22, 50, 22, 24, 24, 60)), 4)
})
