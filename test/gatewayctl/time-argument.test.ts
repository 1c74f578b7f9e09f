import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTime } from '../../src/gatewayctl/time-argument.ts'

const context = { clock: () => Date.UTC(2026, 10, 20, 12, 30), env: { GATEWAY_TIMEZONE: 'Europe/Zurich' } }

test('dates and times in the operator’s zone or with their own, and ages', () => {
  const moments = {
    '2026-11-20': '2026-11-19T23:00:00.000Z',
    '2024-02-29': '2024-02-28T23:00:00.000Z',
    '2026-07-20': '2026-07-19T22:00:00.000Z',
    '2026-11-20T08:00': '2026-11-20T07:00:00.000Z',
    '2026-11-20 08:00:01.250': '2026-11-20T07:00:01.250Z',
    // The clocks change: there is no 02:30, and there are two.
    '2026-03-29T02:30': '2026-03-29T01:30:00.000Z',
    '2026-10-25T02:30': '2026-10-25T00:30:00.000Z',
    '2026-11-20T08:00Z': '2026-11-20T08:00:00.000Z',
    '2026-11-20T08:00:01.250Z': '2026-11-20T08:00:01.250Z',
    '2026-11-20T09:00+01:00': '2026-11-20T08:00:00.000Z',
    '2026-11-20 00:30:00-08:00': '2026-11-20T08:30:00.000Z',
    '0m': '2026-11-20T12:30:00.000Z',
    '90m': '2026-11-20T11:00:00.000Z',
    '36h': '2026-11-19T00:30:00.000Z',
    '7d': '2026-11-13T12:30:00.000Z',
    '52w': '2025-11-21T12:30:00.000Z',
  }
  for (const [text, moment] of Object.entries(moments)) assert.equal(parseTime(text, context), moment, text)
})

test('invalid times are rejected, and so is every date where GATEWAY_TIMEZONE is no zone', () => {
  const refused = [
    ...['', ' ', '7', 'd', '7D', '-7d', '1.5d', '7 d', '7y', '9999999999d', '999999999w'],
    ...[
      '2026-11-20T08',
      '2026-11-20T25:00',
      '2026-02-30',
      '2026-02-30T08:00',
      '2026-13-01',
      '20.11.2026',
      '11/20/2026',
    ],
    ...['2026-11', '2026', 'yesterday', '1763625600', '+012026-11-20T08:00Z', '-000001-01-01T00:00Z', '2026-11-20Z'],
  ]
  for (const text of refused) assert.throws(() => parseTime(text, context), /must be a date/, text)
  const lost = { ...context, env: { GATEWAY_TIMEZONE: 'Mars/Olympus' } }
  assert.throws(() => parseTime('2026-11-20', lost), /^Failure: GATEWAY_TIMEZONE must be a time zone/)
  assert.equal(parseTime('2026-11-20T08:00Z', lost), '2026-11-20T08:00:00.000Z')
})
