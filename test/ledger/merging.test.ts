// One acceptance in two ledgers: the order of merging makes no difference, nor how often, and no answer is lost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { merged } from '../../src/ledger/merging.ts'
import { deriveState } from '../../src/ledger/state.ts'
import { pendingAcceptance } from './acceptance-record.ts'

const at = (second: number) => new Date(Date.UTC(2026, 10, 20, 12) + second * 1000).toISOString()

/** What became of each of five attempts; the ledgers know of some, and of the answers of some. */
const fates = fc.array(
  fc.record({ status: fc.constantFrom(302, 403, 429, 500, null), answered: fc.integer({ min: 10, max: 13 }) }),
  { minLength: 1, maxLength: 5 },
)
const knowledge = fc.array(fc.constantFrom('nothing', 'asked', 'answered'), { minLength: 5, maxLength: 5 })

function side(every: readonly { status: number | null; answered: number }[], known: readonly string[]) {
  const attempts = every.flatMap(({ status, answered }, index) =>
    known[index] === 'nothing'
      ? []
      : [
          {
            id: `attempt-${index}`,
            asked_at: at(index),
            answered_at: known[index] === 'answered' ? at(answered) : null,
            engine_status: known[index] === 'answered' ? status : null,
          },
        ],
  )
  const record = pendingAcceptance(at(0), attempts)
  // What a ledger would have written down by itself.
  return merged(record, record) ?? assert.fail()
}

test('merging is commutative, associative and idempotent, and the state follows from every attempt', () => {
  fc.assert(
    fc.property(fates, knowledge, knowledge, knowledge, (every, some, others, more) => {
      const [one, other, third] = [side(every, some), side(every, others), side(every, more)]
      const both = merged(one, other) ?? assert.fail()
      assert.deepEqual(merged(other, one), both)
      assert.deepEqual(merged(both, one), both)
      assert.deepEqual(merged(one, one), one)
      assert.deepEqual(merged(both, third), merged(one, merged(other, third) ?? assert.fail()))
      assert.equal(both.state, deriveState(both.attempt_records.map(({ engine_status }) => engine_status)))
      assert.equal(both.decided_at === null, both.state === 'pending')
      for (const attempt of [one, other].flatMap(({ attempt_records }) => attempt_records)) {
        const kept = both.attempt_records.find(({ id }) => id === attempt.id) ?? assert.fail()
        if (attempt.answered_at !== null) assert.deepEqual(kept, attempt)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('two that contradict each other are not made one', () => {
  const record = side([{ status: 302, answered: 20 }], ['answered'])
  assert.equal(merged(record, { ...record, rule_name: 'another' }), undefined)
  const [attempt] = record.attempt_records
  assert.ok(attempt !== undefined)
  const altered = { ...record, attempt_records: [{ ...attempt, engine_status: 403 }] }
  assert.equal(merged(record, altered), undefined)
})

test('of two records of one verdict, the earlier one stays', () => {
  const earlier = side([{ status: 403, answered: 20 }], ['answered'])
  const later = { ...earlier, id: 'another', requested_at: at(5), locale: 'it' }
  assert.deepEqual(merged(later, earlier), earlier)
})

test('of two records of one moment, the same one stays whichever comes first', () => {
  const one = side([{ status: 403, answered: 20 }], ['answered'])
  const other = { ...one, id: 'another', locale: 'it' }
  assert.deepEqual(merged(one, other), merged(other, one))
})

test('the first yes decides, or the last no', () => {
  const decided = (...statuses: number[]) => {
    const fates = statuses.map((status, index) => ({ status, answered: 20 + index }))
    const { decided_at, engine_status } = side(fates, ['answered', 'answered'])
    return [decided_at, engine_status]
  }
  assert.deepEqual(decided(302, 302), [at(20), 302])
  assert.deepEqual(decided(403, 302), [at(21), 302])
  assert.deepEqual(decided(403, 429), [at(21), 429])
})
