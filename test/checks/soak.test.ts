// What decides a soak: the statistics of its samples, and which responses a fault explains.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFaults } from '../../checks/soak/faults.ts'
import { growth, rise, slope } from '../../checks/soak/trend.ts'

const row = (...values: number[]) => values.map((value, at) => ({ at, value }))

test('the slope is that of most pairs, whatever single outliers', () => {
  assert.equal(slope(row(1, 3, 5, 7, 9)), 2)
  assert.equal(slope(row(5, 5, 5, 500, 5, 5, 5)), 0)
})

test('a leak raises the median; resources in use or closed for a while do not', () => {
  assert.equal(rise(row(20, 40, 20, 50, 20, 60, 20, 3, 20)), 0)
  assert.equal(rise(row(20, 20, 40, 22, 50, 22, 24, 24, 60)), 4)
})

test('growth is measured after a sixth of the time, and single samples do not matter', () => {
  for (const [value, expected] of [
    [(minute: number) => (minute < 10 ? minute * 10 : 100), 0],
    [(minute: number) => (minute === 57 ? 900 : 100), 0],
    [(minute: number) => 100 + minute, 45 / 112],
    [(minute: number) => 200 - minute, -45 / 188],
  ] as const) {
    const hour = Array.from({ length: 60 }, (_, minute) => ({ at: minute * 60, value: value(minute) }))
    assert.equal(growth(hour, 3600), expected)
  }
})

test('a 502, 503 or 504 is explained by its fault alone, until ten seconds after it', () => {
  let now = 100_000
  const faults = createFaults(() => now)
  assert.deepEqual(faults.explained(now), [])
  faults.begin('database')
  assert.deepEqual(faults.explained(now), [503])
  now += 3_000
  faults.end()
  assert.deepEqual(faults.explained(now - 60_000), [503], 'sent before, answered during the fault')
  assert.deepEqual(faults.explained(now + 9_999), [503])
  assert.deepEqual(faults.explained(now + 10_000), [])
  now += 60_000
  faults.begin('engine')
  assert.deepEqual(faults.explained(now), [502, 503, 504])
})
