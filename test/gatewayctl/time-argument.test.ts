import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTime } from '../../src/gatewayctl/time-argument.ts'

const NOW = Date.UTC(2026, 10, 20, 12, 30)

test('dates, dates with times and zones, and ages', () => {
  const moments = {
    '2026-11-20': '2026-11-20T00:00:00.000Z',
    '2024-02-29': '2024-02-29T00:00:00.000Z',
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
  for (const [text, moment] of Object.entries(moments)) assert.equal(parseTime(text, NOW), moment, text)
})

test('ambiguous and invalid times are rejected', () => {
  const refused = [
    ...['', ' ', '7', 'd', '7D', '-7d', '1.5d', '7 d', '7y', '9999999999d', '999999999w'],
    ...['2026-11-20T08:00', '2026-11-20T08:00:00', '2026-02-30', '2026-13-01', '20.11.2026', '11/20/2026'],
    ...['2026-11', '2026', 'yesterday', '1763625600', '+012026-11-20T08:00Z', '-000001-01-01T00:00Z', '2026-11-20Z'],
  ]
  for (const text of refused) assert.throws(() => parseTime(text, NOW), /must be a date/, text)
})
