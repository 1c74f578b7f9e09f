// When `ledger-size` and `ledger-speed` fail.
import assert from 'node:assert/strict'
import { createHistogram } from 'node:perf_hooks'
import { test } from 'node:test'
import { ledgerFaults } from '../../bench/ledger-report.ts'
import { growthFaults } from '../../checks/ledger-growth.ts'

const SMALL = { rows: 50_000, bytes: 900, constant: { 'one, by its reference': 0.004 }, rates: { exporting: 20_000 } }
const LARGE = { ...SMALL, rows: 500_000 }

test('what an index finds takes as long in a ledger of ten times the size', () => {
  assert.deepEqual(growthFaults([SMALL]), [])
  assert.deepEqual(growthFaults([SMALL, { ...LARGE, constant: { 'one, by its reference': 0.04 } }]), [])
  assert.deepEqual(growthFaults([SMALL, { ...LARGE, constant: { 'one, by its reference': 0.1 } }]), [
    'one, by its reference: 100 ms of 500000, allowed 41 ms',
  ])
  assert.deepEqual(growthFaults([SMALL, { ...LARGE, rates: { exporting: 4_000 } }]), [
    'exporting: 4000 rows/s of 500000, required 5000',
  ])
  assert.deepEqual(growthFaults([{ ...SMALL, bytes: 2_000 }]), [
    'an acceptance takes 2000 bytes, at most 1500 are allowed',
  ])
})

/** @param commit, alone milliseconds @param rate acknowledgements per second */
function storage(commit: number, alone: number, rate: number) {
  const lasting = (milliseconds: number) => {
    const durations = createHistogram()
    durations.record(Math.round(milliseconds * 1000))
    return durations
  }
  const round = { disk: lasting(1), commit: lasting(commit), alone: { rate: 1, durations: lasting(alone) }, cpu: 1 }
  return [{ name: 'SQLite', rounds: [{ ...round, together: { rate, durations: lasting(1) } }] }]
}

test('an acknowledgement costs a limited number of durable commits', () => {
  assert.deepEqual(ledgerFaults(storage(0.2, 4.2, 339)), [])
  // A slow disk, where it is nearly all.
  assert.deepEqual(ledgerFaults(storage(10, 24, 180)), [])
  assert.deepEqual(ledgerFaults(storage(0.2, 60, 339)), ['SQLite: an acknowledgement takes 300 times a durable commit'])
  assert.deepEqual(ledgerFaults(storage(0.2, 4.2, 40)), ['SQLite: only 1 % of the sequential durable commits a second'])
})
