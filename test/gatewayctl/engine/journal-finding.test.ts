// What `engine status` and `proxy doctor` say of the journal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { journalFinding } from '../../../src/gatewayctl/engine/journal-finding.ts'

const GOOD = {
  ...{ up: true, fault: null, queued: 0, lost: 0, lost_events: 0, days: 14, person_days: 3, hosts: true },
  oldest: '2026-11-20T08:00:00Z',
}

test('what it keeps; a fault with the remedy; and that it is off', () => {
  const said = (journal: Parameters<typeof journalFinding>[1]) => {
    const { state, detail, advice } = journalFinding('x', journal)
    return [state, detail, advice !== undefined]
  }
  const kept = 'stopped requests since 2026-11-20T08:00:00Z; kept for 14 days, with client and user for 3'
  assert.deepEqual(said(GOOD), ['ok', kept, false])
  assert.match(String(said({ ...GOOD, oldest: null })[1]), /^no stopped request yet; kept/)
  assert.deepEqual(said({ ...GOOD, lost: 2 }), [
    'warning',
    `${kept}; 2 stopped requests missing since the engine’s start`,
    true,
  ])
  assert.deepEqual(said({ ...GOOD, lost: 1, lost_events: 3 }), [
    'warning',
    `${kept}; 1 stopped request and 3 acknowledgements missing since the engine’s start`,
    true,
  ])
  assert.match(`${journalFinding('x', { ...GOOD, lost_events: 1 }).advice}`, /^lower \[journal\] days/)
  const fault = 'the journal could not be written: the disk is full (errcode 13)'
  assert.deepEqual(said({ ...GOOD, up: false, fault, queued: 1, oldest: null }), [
    'failing',
    `${fault}; 1 stopped request in memory`,
    true,
  ])
  assert.deepEqual(said(null), ['off', 'turned off ([journal] days = 0)', false])
})
