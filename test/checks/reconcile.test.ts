// The differences that the check `ledger` reports.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Acceptance, type Attempt, reconcile } from '../../checks/chaos/reconcile.ts'

describe('differences', () => {
  const session = (reference: string) => ({ msg: 'acknowledgement', outcome: 'accepted', repeated: false, reference })
  const repetition = (reference: string) => ({ ...session(reference), repeated: true })
  const row = (reference: string, state: string): Acceptance => ({ reference, state })
  const attempt = (reference: string, engineStatus: number | null): Attempt => ({ reference, engineStatus })
  const found = (...sources: Parameters<typeof reconcile>) =>
    Object.entries(reconcile(...sources).differences).filter(([, references]) => references.length > 0)

  test('none, when the records match', () => {
    const log = [{ msg: 'decision' }, session('a'), repetition('a'), session('b'), { msg: 'acknowledgement' }]
    const rows = [row('a', 'accepted'), row('b', 'pending'), row('c', 'refused'), row('d', 'pending')]
    const attempts = [attempt('a', null), attempt('a', 302), attempt('b', null), attempt('c', 403), attempt('d', 500)]
    assert.deepEqual(found(log, rows, attempts), [])
    const { sessions, rowsByState, unrecorded } = reconcile(log, rows, attempts)
    assert.deepEqual(
      { sessions, rowsByState, unrecorded },
      {
        sessions: 2,
        rowsByState: { accepted: 1, refused: 1, pending: 2 },
        unrecorded: 1,
      },
    )
  })
  test('a session without a row', () => {
    assert.deepEqual(found([session('a')], [], []), [['sessions without a row', ['a']]])
  })
  test('an accepted row that is not in the engine’s log', () => {
    const differences = found([session('b')], [row('a', 'accepted'), row('b', 'pending')], [attempt('a', 302)])
    assert.deepEqual(differences, [['accepted rows without an engine 302', ['a']]])
  })
  test('a verdict with two rows', () => {
    const differences = found([], [row('a', 'pending'), row('a', 'pending')], [])
    assert.deepEqual(differences, [['verdicts with two rows', ['a']]])
  })
  test('a state that does not follow', () => {
    const differences = found([session('a')], [row('a', 'refused')], [attempt('a', 302), attempt('a', 403)])
    assert.deepEqual(differences, [['states that do not follow from the attempts', ['a']]])
  })
})
