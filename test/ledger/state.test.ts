import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type AcceptanceState, deriveState } from '../../src/ledger/state.ts'

const cases: [string, (number | null)[], AcceptanceState][] = [
  ['no attempt', [], 'pending'],
  ['an attempt without an answer', [null], 'pending'],
  ['a yes', [302], 'accepted'],
  ['a no', [403], 'refused'],
  ['expired', [410], 'refused'],
  ['locked out', [429], 'refused'],
  ['the first and the last status that mean no', [400, 499], 'refused'],
  ['an engine in trouble', [500], 'pending'],
  ['an answer that makes no sense', [200], 'pending'],
  ['another redirect', [301], 'pending'],
  ['a wrong code, then the right one', [403, 302], 'accepted'],
  ['a slow no after a fast yes', [302, 403], 'accepted'],
  ['a timeout, then a yes', [null, 302], 'accepted'],
  ['a timeout, then a no', [null, 403], 'pending'],
  ['an engine in trouble, then a no', [503, 403], 'pending'],
  ['two wrong codes, then locked out', [403, 403, 429], 'refused'],
]
for (const [name, statuses, state] of cases) {
  test(`${name}: ${state}`, () => assert.equal(deriveState(statuses), state))
}

test('the order of the attempts and repetitions do not matter', () => {
  const statuses = fc.array(fc.constantFrom(null, 200, 302, 403, 429, 500), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(statuses, fc.nat(), (list, by) => {
      const rotated = [...list.slice(by % list.length), ...list.slice(0, by % list.length), ...list]
      return deriveState(rotated) === deriveState([...new Set(list)])
    }),
  )
})
