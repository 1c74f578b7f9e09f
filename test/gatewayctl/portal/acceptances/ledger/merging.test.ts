// Merging two records of one acceptance: order and repetition make no difference, and no outcome is lost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mergeAcceptances } from '../../../../../src/gatewayctl/portal/acceptances/ledger/merging.ts'
import { deriveAcceptance, sortedBy } from '../../../../../src/ledger/derive-acceptance.ts'
import type { AttemptRecord } from '../../../../../src/ledger/schema.ts'
import { deriveState } from '../../../../../src/ledger/state.ts'
import { pendingAcceptance, SHOWN } from '../../../../ledger/acceptance-record.ts'
import { propertyRuns } from '../../../../support/property-runs.ts'

const at = (second: number) => new Date(Date.UTC(2026, 10, 20, 12) + second * 1000).toISOString()

/** The outcomes of five attempts; each ledger has some of the attempts, and some of their outcomes. */
const fates = fc.array(
  fc.record({
    status: fc.constantFrom(302, 403, 429, 500, null),
    asked: fc.nat(2),
    answered: fc.integer({ min: 10, max: 13 }),
  }),
  { minLength: 1, maxLength: 5 },
)
type Fate = { status: number | null; asked?: number; answered: number }
const knowledge = fc.array(fc.constantFrom('nothing', 'asked', 'answered'), { minLength: 5, maxLength: 5 })

/** One ledger's record; it always includes the attempt that created the acceptance. */
function side(every: readonly Fate[], known: readonly string[]) {
  const attempts = every.flatMap(({ status, asked = 1, answered }, index) => {
    const knows = index === 0 && known[0] === 'nothing' ? 'asked' : known[index]
    if (knows === 'nothing') return []
    const answer = knows === 'answered' ? { answered_at: at(answered), engine_status: status } : {}
    const shown = { ...SHOWN, locale: `shown to ${index}`, client_address: `192.0.2.${index}` }
    const asked_at = at(index === 0 ? 1 : asked)
    return [{ id: `attempt-${index}`, asked_at, answered_at: null, engine_status: null, ...answer, ...shown }]
  })
  const ofFirst = { ...pendingAcceptance(at(1), []), locale: 'shown to 0', client_address: '192.0.2.0' }
  const record = {
    ...ofFirst,
    attempts: attempts.length,
    attempt_records: sortedBy(attempts, 'asked_at'),
  }
  return deriveAcceptance(record, record.attempt_records)
}

test('merging is commutative, associative and idempotent, and derives the acceptance from all attempts', () => {
  fc.assert(
    fc.property(fates, knowledge, knowledge, knowledge, (every, some, others, more) => {
      const [one, other, third] = [side(every, some), side(every, others), side(every, more)]
      const both = mergeAcceptances(one, other) ?? assert.fail()
      assert.deepEqual(mergeAcceptances(other, one), both)
      assert.deepEqual(mergeAcceptances(both, one), both)
      assert.deepEqual(mergeAcceptances(one, one), one)
      assert.deepEqual(
        mergeAcceptances(both, third),
        mergeAcceptances(one, mergeAcceptances(other, third) ?? assert.fail()),
      )
      assert.equal(both.state, deriveState(both.attempt_records.map(({ engine_status }) => engine_status)))
      assert.equal(both.decided_at === null, both.state === 'pending')
      for (const attempt of [one, other].flatMap(({ attempt_records }) => attempt_records)) {
        const kept = both.attempt_records.find(({ id }) => id === attempt.id) ?? assert.fail()
        if (attempt.answered_at !== null)
          assert.deepEqual([kept.answered_at, kept.engine_status], [attempt.answered_at, attempt.engine_status])
        assert.deepEqual([kept.locale, kept.client_address], [attempt.locale, attempt.client_address])
      }
      const key = (moment: string | null, id: string) => `${moment} ${id}`
      const yes = both.attempt_records.filter(({ engine_status }) => engine_status === 302)
      const deciding =
        yes.length > 0
          ? yes.reduce((a, b) => (key(a.answered_at, a.id) < key(b.answered_at, b.id) ? a : b))
          : both.attempt_records.reduce((a, b) => (key(a.asked_at, a.id) > key(b.asked_at, b.id) ? a : b))
      assert.deepEqual([both.locale, both.client_address], [deciding.locale, deciding.client_address])
      if (both.state !== 'pending') {
        assert.deepEqual([both.decided_at, both.engine_status], [deciding.answered_at, deciding.engine_status])
      }
    }),
    propertyRuns(2_000),
  )
})

test('equal records of an older version stay as they are', () => {
  const attempts = [
    { id: 'a', ...SHOWN, asked_at: at(1), answered_at: at(9), engine_status: 403 },
    { id: 'b', ...SHOWN, asked_at: at(2), answered_at: at(5), engine_status: 429 },
  ]
  // In that version the last response decided.
  const old = {
    ...pendingAcceptance(at(1), attempts),
    state: 'refused',
    decided_at: at(9),
    engine_status: 403,
  } as const
  assert.deepEqual(mergeAcceptances(old, structuredClone(old)), old)
  const more = { ...old, attempts: 3, attempt_records: [...attempts, { ...attempts[1], id: 'c', engine_status: 302 }] }
  const both =
    mergeAcceptances(old, deriveAcceptance(more as typeof old, more.attempt_records as typeof attempts)) ??
    assert.fail()
  assert.deepEqual([both.state, both.engine_status, both.locale], ['accepted', 302, 'de'])
})

test('contradictory records are not merged', () => {
  const record = side([{ status: 302, answered: 20 }], ['answered'])
  assert.equal(mergeAcceptances(record, { ...record, rule_name: 'another' }), undefined)
  const [attempt] = record.attempt_records
  assert.ok(attempt !== undefined)
  const altered = (change: Partial<AttemptRecord>) => ({ ...record, attempt_records: [{ ...attempt, ...change }] })
  assert.equal(mergeAcceptances(record, altered({ answered_at: at(21) })), undefined)
  assert.equal(mergeAcceptances(record, altered({ asked_at: at(2) })), undefined)
  assert.equal(mergeAcceptances(record, altered({ locale: 'another' })), undefined)
})

test('a record that contradicts its own attempts is not merged', () => {
  const record = side([{ status: 403, answered: 20 }], ['answered'])
  const asked = side([{ status: 403, answered: 20 }], ['asked'])
  assert.ok(mergeAcceptances(record, asked) !== undefined)
  assert.equal(mergeAcceptances({ ...record, locale: 'another' }, asked), undefined)
  assert.equal(mergeAcceptances({ ...record, state: 'accepted', engine_status: 302 }, asked), undefined)
})

test('of two records of one verdict, the earlier one is kept; of two of one time, the same one in either order', () => {
  const one = side([{ status: 403, answered: 20 }], ['answered'])
  const other = { ...one, id: 'another', portal_version: 'another' }
  assert.deepEqual(mergeAcceptances({ ...other, requested_at: at(5) }, one), one)
  assert.deepEqual(mergeAcceptances(one, other), mergeAcceptances(other, one))
})
