// In the soak, a 502, 503 or 504 is a right response only during a fault that explains it, and shortly after.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFaults } from '../../checks/soak/faults.ts'

test('a status is explained by its fault alone, until ten seconds after it', () => {
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
  now += 8_000
  faults.end()
  assert.deepEqual(faults.explained(now + 10_000), [])
})
