// Three ledgers contained two refusals. Merged in one order, the earlier refusal became the deciding one, because one
// ledger had recorded it alone, and in another order the later one: a second copy changed the result of the first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeAcceptances } from '../../src/gatewayctl/portal/acceptances/ledger/merging.ts'
import type { AcceptanceWithAttempts } from '../../src/gatewayctl/portal/acceptances/ledger/reading.ts'
import type { AttemptRecord } from '../../src/ledger/schema.ts'
import { pendingAcceptance, SHOWN } from '../ledger/acceptance-record.ts'

const at = (second: number) => `2026-11-20T12:00:${second}.000Z`
const asked: AttemptRecord = { id: 'first', ...SHOWN, asked_at: at(10), answered_at: null, engine_status: null }
const first: AttemptRecord = { ...asked, answered_at: at(30), engine_status: 403 }
const second: AttemptRecord = { ...first, id: 'second', asked_at: at(20), answered_at: at(50), engine_status: 429 }

function ledgerWith(attempt: AttemptRecord): AcceptanceWithAttempts {
  const { answered_at, engine_status } = attempt
  return {
    ...pendingAcceptance(at(10), [attempt]),
    ...(answered_at !== null && { state: 'refused', decided_at: answered_at, engine_status }),
  }
}

test('three ledgers: the last refusal decides, in any order of merging', () => {
  const [one, other, third] = [ledgerWith(second), ledgerWith(asked), ledgerWith(first)]
  const both = (some: AcceptanceWithAttempts, more: AcceptanceWithAttempts) =>
    mergeAcceptances(some, more) ?? assert.fail()
  const last = both(both(one, other), third)
  assert.deepEqual([last.decided_at, last.engine_status], [at(50), 429])
  assert.deepEqual(both(one, both(other, third)), last)
})
