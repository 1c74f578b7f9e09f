// The period of a report: whole hours, and days of the engine's time zone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calendarOf, daysOf, parseBound, periodOf } from '../../../src/engine/journal/report/period.ts'
import { zoneClock } from '../../../src/engine/policy/schedule/zone-clock.ts'

const ZURICH = 'Europe/Zurich'
const NOW = Date.parse('2026-11-27T13:37:00Z')
const parsed = (text: string, zone = ZURICH) => parseBound(text, zone, NOW)?.toInstant().toString()
const between = (since: string, until: string, zone = ZURICH) => {
  const [start, end] = [since, until].map((text) => parseBound(text, zone, NOW) ?? assert.fail(text))
  return start && end && periodOf(start, end)
}

test('a date begins at midnight in the time zone, and so does a duration in days', () => {
  assert.equal(parsed('2026-11-20'), '2026-11-19T23:00:00Z')
  assert.equal(parsed('2026-07-20'), '2026-07-19T22:00:00Z')
  assert.equal(parsed('P7D'), '2026-11-19T23:00:00Z')
  assert.equal(parsed('P1W'), '2026-11-19T23:00:00Z')
  // Over the night in which the clocks change.
  assert.equal(parsed('P40D'), '2026-10-17T22:00:00Z')
})

test('a time, and a duration in hours', () => {
  assert.equal(parsed('2026-11-20T08:30+01:00'), '2026-11-20T07:30:00Z')
  assert.equal(parsed('PT36H'), '2026-11-26T01:37:00Z')
  assert.equal(parsed('PT90M'), '2026-11-27T12:07:00Z')
})

test('anything else is rejected', () => {
  const others = ['', '7d', 'P1M', 'P0D', '-P7D', '2026-11-31', '2026-11-20T08:30', 'yesterday', 'P99999D', '20261120']
  for (const text of others) assert.equal(parsed(text), undefined, text)
})

test('a period consists of whole hours: one that has begun counts', () => {
  const period = between('2026-11-20T08:59Z', '2026-11-20T10:01Z')
  assert.deepEqual(period, {
    since: Date.parse('2026-11-20T08:00Z'),
    until: Date.parse('2026-11-20T11:00Z'),
    timezone: ZURICH,
  })
  assert.equal(between('2026-11-20T08:00Z', '2026-11-20T08:00Z'), undefined)
  assert.equal(between('2026-11-21', '2026-11-20'), undefined)
})

test('in a zone with half an hour, hours begin there', () => {
  const period = between('2026-11-20T08:40Z', '2026-11-20T09:30Z', 'Asia/Kolkata')
  assert.equal(period?.since, Date.parse('2026-11-20T08:30Z'))
  assert.equal(period?.until, Date.parse('2026-11-20T09:30Z'))
})

test('days have 23 or 25 hours where the clocks change, and fewer at the ends of a period', () => {
  const hours = (since: string, until: string) => {
    const period = between(since, until) ?? assert.fail()
    return daysOf(period).map(({ date, hours }) => `${date} ${hours}`)
  }
  assert.deepEqual(hours('2026-10-24', '2026-10-27'), ['2026-10-24 24', '2026-10-25 25', '2026-10-26 24'])
  assert.deepEqual(hours('2027-03-27', '2027-03-29'), ['2027-03-27 24', '2027-03-28 23'])
  assert.deepEqual(hours('2026-11-20T20:00+01:00', '2026-11-21T02:00+01:00'), ['2026-11-20 4', '2026-11-21 2'])
})

test('an hour has its date, weekday and time of day, both times where the clocks go back', async () => {
  const zone = zoneClock(ZURICH) ?? assert.fail()
  const starts = ['2026-10-25T00:00Z', '2026-10-25T01:00Z', '2026-10-25T23:00Z'].map((text) => Date.parse(text))
  assert.deepEqual(
    [...(await calendarOf(starts, zone)).values()],
    [
      { date: '2026-10-25', weekday: 6, hour: 2 },
      { date: '2026-10-25', weekday: 6, hour: 2 },
      { date: '2026-10-26', weekday: 0, hour: 0 },
    ],
  )
})
