import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDate, parseDates } from '../../../src/engine/policy/schedule/dates-file.ts'
import {
  isWithin,
  localTimeText,
  nextChange,
  parseDays,
  parseTimeOfDay,
  type Schedule,
  scheduleText,
} from '../../../src/engine/policy/schedule/schedule.ts'
import { zoneClock } from '../../../src/engine/policy/schedule/zone-clock.ts'

/** @param spans such as `mon-fri 08:00 16:30 UTC, sat 09:00 12:00 UTC` */
function schedule(spans: string, holidays = ''): Schedule {
  return spans.split(', ').map((span) => {
    const [days = '', from = '', to = '', timezone = '', on = '', until = on] = span.split(' ')
    const parsed = { days: parseDays(days), from: parseTimeOfDay(from), to: parseTimeOfDay(to) }
    const clock = zoneClock(timezone)
    assert.ok(clock && parsed.days && parsed.from !== undefined && parsed.to !== undefined)
    const dates = { first: parseDate(on) ?? -Infinity, last: parseDate(until) ?? Infinity }
    return { clock, days: parsed.days, from: parsed.from, to: parsed.to, ...dates, notOn: parseDates(holidays).dates }
  })
}

const NIGHT = 'fri 22:00 06:00 UTC'
const EARLY = 'sun 02:30 03:30 Europe/Zurich'
/** UTC, in this order, which is not always that of time: a minute is read again. */
const ROWS: readonly (readonly [what: string, span: string, holidays: string, inside: string, outside: string])[] = [
  [
    'a span includes its first minute and excludes its last',
    'mon-fri 08:00 16:30 Europe/Zurich',
    '',
    '2026-11-20T07:00 2026-11-20T15:29:59',
    '2026-11-20T06:59:59.999 2026-11-20T15:30 2026-11-21T10:00 2026-11-22T10:00',
  ],
  ['a whole day', 'mon 00:00 24:00 UTC', '', '2026-11-23T00:00 2026-11-23T23:59', '2026-11-24T00:00'],
  [
    'a minute',
    'mon-sun 12:00 12:01 UTC',
    '',
    '2026-11-20T12:00:59 2026-11-20T12:00',
    '2026-11-20T12:01 2026-11-20T11:59',
  ],
  [
    'over midnight, the day is that of the start',
    NIGHT,
    '2026-11-28',
    '2026-11-20T22:00 2026-11-21T05:59 2026-11-27T23:00 2026-11-28T05:00',
    '2026-11-20T05:00 2026-11-21T06:00 2026-11-21T22:00',
  ],
  [
    'a holiday ends the span that begins on it',
    NIGHT,
    '2026-11-27',
    '2026-11-20T23:00',
    '2026-11-27T23:00 2026-11-28T05:00',
  ],
  // 02:00 becomes 03:00 at 01:00 UTC.
  ['summer time begins', EARLY, '', '2027-03-28T01:00 2027-03-28T01:29', '2027-03-28T00:59 2027-03-28T01:30'],
  // 03:00 becomes 02:00 at 01:00 UTC.
  [
    'summer time ends',
    EARLY,
    '',
    '2026-10-25T00:30 2026-10-25T01:30 2026-10-25T02:29',
    '2026-10-25T00:29 2026-10-25T01:00 2026-10-25T02:30',
  ],
  [
    'one of several spans',
    'mon-fri 10:00 10:20 UTC, mon-fri 12:00 13:00 Europe/Zurich',
    '',
    '2026-11-20T10:00 2026-11-20T11:00 2026-11-20T11:59',
    '2026-11-20T10:20 2026-11-20T12:00 2026-11-21T10:00',
  ],
  [
    'one date',
    'mon-sun 08:00 12:00 UTC 2026-11-27',
    '',
    '2026-11-27T08:00',
    '2026-11-26T08:00 2026-11-28T08:00 2026-11-27T12:00',
  ],
  [
    'from a date until another, over midnight',
    'mon-fri 22:00 06:00 UTC 2026-11-26 2026-11-27',
    '2026-11-27',
    '2026-11-26T22:00 2026-11-27T05:59',
    '2026-11-26T05:00 2026-11-27T22:00 2026-11-28T05:00',
  ],
]

test('when a schedule applies', () => {
  for (const [what, span, holidays, inside, outside] of ROWS) {
    const one = schedule(span, holidays)
    for (const [times, expected] of [
      [inside, true],
      [outside, false],
    ] as const) {
      for (const time of times.split(' ')) {
        assert.equal(isWithin(one, Date.parse(`${time}Z`)), expected, `${what}: ${time}`)
      }
    }
  }
})

test('days, times, dates and zones as operators write them', () => {
  const days = (text: string) => parseDays(text)?.map(Number).join('')
  assert.deepEqual(['mon-fri', 'Sat, SUN', 'fri-mon,wed'].map(days), ['0111110', '1000001', '1101011'])
  for (const text of ['', 'monday', 'mon-', 'mon,,tue', 'mon tue', '1-5']) assert.equal(days(text), undefined, text)
  assert.deepEqual(['00:00', '08:05', '24:00'].map(parseTimeOfDay), [0, 485, 1440])
  for (const text of ['8:00', '08:60', '24:01', '25:00', '', '08:00:00']) assert.equal(parseTimeOfDay(text), undefined)
  const { dates, faults } = parseDates(
    '# holidays\r\n2026-12-24/2026-12-26 # Christmas\n2027-01-01\n\n2027-02-30\n2027-01-02/2027-01-01\nx',
  )
  const christmas = ['2026-12-24', '2026-12-25', '2026-12-26', '2027-01-01']
  assert.deepEqual(dates, new Set(christmas.map((date) => Date.parse(date) / 86_400_000)))
  assert.deepEqual(faults, ['line 5', 'line 6', 'line 7'])
  assert.equal(zoneClock('Europe/Nowhere'), undefined)
})

test('in words', () => {
  const lessons = schedule('mon-wed 08:00 16:30 Europe/Zurich')
  assert.equal(scheduleText(lessons), 'mon,tue,wed 08:00 to 16:30, Europe/Zurich')
  assert.equal(localTimeText(lessons, Date.parse('2026-11-21T08:03Z')), 'sat 09:03 there')
  assert.equal(scheduleText(schedule('mon-sun 00:00 24:00 UTC')), 'every day 00:00 to 24:00, UTC')
  const dates = schedule('mon-sun 08:00 12:00 UTC 2026-11-27, mon 00:00 24:00 Europe/Zurich 2026-11-30 2026-12-07')
  assert.equal(
    scheduleText(dates),
    'every day on 2026-11-27 08:00 to 12:00, UTC, or mon from 2026-11-30 until 2026-12-07 00:00 to 24:00, Europe/Zurich',
  )
  assert.equal(localTimeText(dates, Date.parse('2026-11-21T08:03Z')), 'sat 08:03 in UTC, sat 09:03 in Europe/Zurich')
  const many = Array(7).fill('mon 08:00 12:00 UTC').join(', ')
  assert.match(scheduleText(schedule(many)), /, or in 2 more spans$/)
})

test('in every time zone, the time that Intl shows, and changes of the clocks to the minute', () => {
  const year = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
  const begin = Date.parse('2026-11-20T08:17:30Z')
  let changes = 0
  for (const timeZone of [...Intl.supportedValuesOf('timeZone'), 'UTC', '+05:45', 'europe/zurich']) {
    const clock = zoneClock(timeZone) ?? assert.fail(timeZone)
    const format = new Intl.DateTimeFormat('en', { timeZone, hourCycle: 'h23', ...year })
    const shown = (at: number) => {
      const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
      const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts
      return [Date.UTC(year, month - 1, day) / 86_400_000, hour * 60 + minute]
    }
    const read = (at: number) => {
      const { date, minute } = clock.read(at)
      return [date, minute]
    }
    const next = clock.nextOffsetChange(begin)
    const after = next === Infinity ? begin + 86_400_000 * 180 : next
    if (next !== Infinity) changes++
    // Later ones first: the period of each is found again.
    for (const at of [after + 3_600_000, after, after - 1, after - 60_000, begin, begin - 86_400_000 * 180]) {
      assert.deepEqual(read(at), shown(at), `${timeZone} ${new Date(at).toISOString()}`)
    }
    const offset = (at: number) => (read(at)[0] as number) * 1440 + (read(at)[1] as number) - Math.floor(at / 60_000)
    assert.equal(offset(after - 1) !== offset(after), next !== Infinity, timeZone)
  }
  assert.ok(changes > 100, `${changes}`)
  for (const none of ['Europe/Nowhere', '2026-11-27T10:00Z', '2026-11-27T10:00[Europe/Zurich]', '']) {
    assert.equal(zoneClock(none), undefined, none)
  }
})

/** The first change at which it no longer applies. */
function endOf(one: Schedule, at: number): number {
  let end = at
  while (isWithin(one, end)) end = nextChange(one, end)
  return end
}

for (const [what, spans, at, end] of [
  ['a lesson', 'mon-fri 08:00 12:00 Europe/Zurich', '2026-11-20T08:17:30', '2026-11-20T11:00'],
  ['its last second', 'mon-fri 08:00 12:00 Europe/Zurich', '2026-11-20T10:59:59', '2026-11-20T11:00'],
  ['over midnight, before it', 'mon-sun 22:00 06:00 UTC', '2026-11-20T23:00', '2026-11-21T06:00'],
  ['over midnight, after it', 'mon-sun 22:00 06:00 UTC', '2026-11-21T00:00', '2026-11-21T06:00'],
  ['a whole day', 'fri 00:00 24:00 UTC', '2026-11-20T12:00', '2026-11-21T00:00'],
  ['two whole days', 'fri,sat 00:00 24:00 UTC', '2026-11-20T12:00', '2026-11-22T00:00'],
  ['spans that follow each other', 'fri 08:00 10:00 UTC, fri 10:00 12:00 UTC', '2026-11-20T09:00', '2026-11-20T12:00'],
  ['spans that overlap', 'fri 08:00 12:00 UTC, fri 09:00 10:00 UTC', '2026-11-20T09:00', '2026-11-20T12:00'],
  ['summer time begins before it', 'sun 00:00 12:00 Europe/Zurich', '2027-03-27T23:30', '2027-03-28T10:00'],
  ['summer time ends before it', 'sun 00:00 12:00 Europe/Zurich', '2026-10-24T22:30', '2026-10-25T11:00'],
  // The clock never shows 02:30.
  ['summer time begins over it', 'sun 00:00 02:30 Europe/Zurich', '2027-03-27T23:30', '2027-03-28T01:00'],
  // The clock shows 02:00 again before it shows 03:30.
  ['summer time ends within it', EARLY, '2026-10-25T00:40', '2026-10-25T01:00'],
] as const) {
  test(`the end of ${what}`, () => {
    const found = endOf(schedule(spans), Date.parse(`${at}Z`))
    assert.equal(new Date(found).toISOString().slice(0, 16), end)
  })
}
