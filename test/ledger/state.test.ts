import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AcceptanceState, deriveState } from '../../src/ledger/state.ts'

// Orders of two attempts, with the record that follows: orders.test.ts.
const cases: [(number | null)[], AcceptanceState][] = [
  [[], 'pending'],
  [[null], 'pending'],
  [[302], 'accepted'],
  [[400, 499], 'refused'],
  [[500], 'pending'],
  [[200], 'pending'],
  [[301], 'pending'],
  [[403, 302], 'accepted'],
  [[302, 403], 'accepted'],
  [[null, 302], 'accepted'],
  [[null, 403], 'pending'],
  [[503, 403], 'pending'],
  [[403, 403, 429], 'refused'],
]

test('one 302 accepts; only refusals refuse; an attempt without a usable answer leaves it pending', () => {
  for (const [statuses, state] of cases) assert.equal(deriveState(statuses), state, `${statuses}`)
})
