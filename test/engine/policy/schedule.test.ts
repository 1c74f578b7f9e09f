import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDates } from '../../../src/engine/policy/schedule/dates-file.ts'
import {
  isWithin,
  localTimeText,
  parseDays,
  parseTimeOfDay,
  type Schedule,
  scheduleText,
} from '../../../src/engine/policy/schedule/schedule.ts'
import { zoneClock } from '../../../src/engine/policy/schedule/zone-clock.ts'

function schedule(days: string, from: string, to: string, timezone = 'Europe/Zurich', holidays = ''): Schedule {
  const clock = zoneClock(timezone)
  const parsed = { days: parseDays(days), from: parseTimeOfDay(from), to: parseTimeOfDay(to) }
  assert.ok(clock && parsed.days && parsed.from !== undefined && parsed.to !== undefined)
  return { clock, days: parsed.days, from: parsed.from, to: parsed.to, notOn: parseDates(holidays).dates }
}

/** The local times at which the schedule applies, of these UTC ones. */
function within(one: Schedule, ...times: string[]): string[] {
  return times.filter((time) => isWithin(one, Date.parse(`${time}Z`)))
}

test('a span includes its first minute and excludes its last', () => {
  const lessons = schedule('mon-fri', '08:00', '16:30')
  // A Friday in winter: UTC+1.
  assert.deepEqual(
    within(lessons, '2026-11-20T06:59:59.999', '2026-11-20T07:00', '2026-11-20T15:29:59', '2026-11-20T15:30'),
    ['2026-11-20T07:00', '2026-11-20T15:29:59'],
  )
  assert.deepEqual(within(lessons, '2026-11-21T10:00', '2026-11-22T10:00'), [])
  assert.deepEqual(
    within(schedule('mon', '00:00', '24:00', 'UTC'), '2026-11-23T00:00', '2026-11-23T23:59', '2026-11-24T00:00'),
    ['2026-11-23T00:00', '2026-11-23T23:59'],
  )
})

test('over midnight, the day is that of the start', () => {
  const night = schedule('fri', '22:00', '06:00', 'UTC', '2026-11-28')
  assert.deepEqual(
    within(night, '2026-11-20T05:00', '2026-11-20T22:00', '2026-11-21T05:59', '2026-11-21T06:00', '2026-11-21T22:00'),
    ['2026-11-20T22:00', '2026-11-21T05:59'],
  )
  // The holiday is the Saturday; the span of the Friday before goes into it.
  assert.deepEqual(within(night, '2026-11-27T23:00', '2026-11-28T05:00'), ['2026-11-27T23:00', '2026-11-28T05:00'])
  assert.deepEqual(
    within({ ...night, notOn: parseDates('2026-11-27').dates }, '2026-11-27T23:00', '2026-11-28T05:00'),
    [],
  )
})

test('it goes by the clock on the wall when summer time begins and ends', () => {
  const early = schedule('sun', '02:30', '03:30')
  // 2027-03-28: 02:00 becomes 03:00 at 01:00 UTC. 2026-10-25: 03:00 becomes 02:00 at 01:00 UTC.
  assert.deepEqual(within(early, '2027-03-28T00:59', '2027-03-28T01:00', '2027-03-28T01:29', '2027-03-28T01:30'), [
    '2027-03-28T01:00',
    '2027-03-28T01:29',
  ])
  assert.deepEqual(
    within(
      early,
      '2026-10-25T00:29',
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
      '2026-10-25T02:29',
      '2026-10-25T02:30',
    ),
    ['2026-10-25T00:30', '2026-10-25T01:30', '2026-10-25T02:29'],
  )
})

test('each minute is read again, also backwards', () => {
  const minute = schedule('mon-sun', '12:00', '12:01', 'UTC')
  assert.deepEqual(within(minute, '2026-11-20T12:00', '2026-11-20T12:01', '2026-11-20T12:00:59', '2026-11-20T11:59'), [
    '2026-11-20T12:00',
    '2026-11-20T12:00:59',
  ])
})

test('days, times, dates and zones as operators write them', () => {
  const days = (text: string) => parseDays(text)?.map(Number).join('')
  assert.equal(days('mon-fri'), '0111110')
  assert.equal(days('Sat, SUN'), '1000001')
  assert.equal(days('fri-mon,wed'), '1101011')
  for (const text of ['', 'monday', 'mon-', 'mon,,tue', 'mon tue', '1-5'])
    assert.equal(parseDays(text), undefined, text)
  assert.deepEqual(['00:00', '08:05', '24:00'].map(parseTimeOfDay), [0, 485, 1440])
  for (const text of ['8:00', '08:60', '24:01', '25:00', '', '08:00:00'])
    assert.equal(parseTimeOfDay(text), undefined, text)
  const { dates, faults } = parseDates(
    '# holidays\r\n2026-12-24/2026-12-26 # Christmas\n2027-01-01\n\n2027-02-30\n2027-01-02/2027-01-01\nx',
  )
  assert.deepEqual(
    [...dates].map((date) => new Date(date * 86_400_000).toISOString().slice(0, 10)),
    [...['2026-12-24', '2026-12-25', '2026-12-26', '2027-01-01']],
  )
  assert.deepEqual(faults, ['line 5', 'line 6', 'line 7'])
  assert.equal(zoneClock('Europe/Nowhere'), undefined)
})

test('in words', () => {
  const lessons = schedule('mon-wed', '08:00', '16:30')
  assert.equal(scheduleText(lessons), 'mon,tue,wed 08:00 to 16:30, Europe/Zurich')
  assert.equal(localTimeText(lessons, Date.parse('2026-11-21T08:03Z')), 'sat 09:03')
  assert.equal(scheduleText(schedule('mon-sun', '00:00', '24:00', 'UTC')), 'every day 00:00 to 24:00, UTC')
})
