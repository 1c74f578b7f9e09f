// Times and addresses of squidGuard against obvious twins.
import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { isWithin } from '../../../src/engine/policy/schedule/schedule.ts'
import { loadSchedule, schedule } from '../../../src/engine/policy/schedule/schedule-shape.ts'
import { zoneClock } from '../../../src/engine/policy/schedule/zone-clock.ts'
import { parseAddresses } from '../../../src/gatewayctl/import/squidguard/addresses.ts'
import { parseTime } from '../../../src/gatewayctl/import/squidguard/times/parse-time.ts'
import { createSchedules } from '../../../src/gatewayctl/import/squidguard/times/schedules.ts'
import {
  both,
  either,
  isNever,
  isSame,
  NEVER,
  not,
  spansOf,
  type Timeline,
} from '../../../src/gatewayctl/import/squidguard/times/timeline.ts'
import { propertyRuns } from '../../support/property-runs.ts'

const UTC = zoneClock('UTC') ?? assert.fail()
const YEAR = 2026
const DAY_MS = 86_400_000

/** As the engine reads its spans from a policy. */
function scheduleOf(timeline: Timeline) {
  const content = spansOf(timeline).flatMap((span) => schedule.parse(span))
  return loadSchedule(content, { clock: UTC, dates: new Map(), schedules: new Map() })
}

interface Element {
  readonly text: string
  isActive(at: Date): boolean
}

const two = (number: number) => String(number).padStart(2, '0')
const minutesText = (minutes: number) => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
const minuteOf = (at: Date) => at.getUTCHours() * 60 + at.getUTCMinutes()

const spans = fc.array(
  fc
    .tuple(fc.nat(1439), fc.integer({ min: 1, max: 1440 }))
    .map(([from, to]) => [Math.min(from, to - 1), Math.max(from + 1, to)] as const),
  { minLength: 1, maxLength: 3 },
)
const spansText = (all: readonly (readonly [number, number])[]) =>
  all.map(([from, to]) => `${minutesText(from)} - ${minutesText(to)}`).join(' ')
const inSpans = (all: readonly (readonly [number, number])[], at: Date) =>
  all.length === 0 || all.some(([from, to]) => minuteOf(at) >= from && minuteOf(at) < to)

const LETTERS = 'smtwhfa'
const weekly: fc.Arbitrary<Element> = fc
  .tuple(fc.subarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1 }), spans)
  .map(([days, all]) => ({
    text: `${days.map((day) => LETTERS[day]).join('')} ${spansText(all)}`,
    isActive: (at) => days.includes(at.getUTCDay()) && inSpans(all, at),
  }))

/** In the weeks around new year. */
const day = fc.integer({ min: -20, max: 40 }).map((number) => new Date(Date.UTC(2026, 11, 20 + number)))
const dateText = (at: Date) => at.toISOString().slice(0, 10)
const dates: fc.Arbitrary<Element> = fc
  .tuple(day, fc.nat(12), fc.oneof(spans, fc.constant([])))
  .map(([first, length, all]) => {
    const last = new Date(first.getTime() + length * DAY_MS)
    return {
      text: `${dateText(first).replaceAll('-', '.')}${length === 0 ? '' : `-${dateText(last)}`} ${spansText(all)}`,
      isActive: (at) => dateText(at) >= dateText(first) && dateText(at) <= dateText(last) && inSpans(all, at),
    }
  })
const repeated: fc.Arbitrary<Element> = fc
  .tuple(day, fc.subarray([0, 1, 2], { maxLength: 2 }), fc.oneof(spans, fc.constant([])))
  .map(([on, stars, all]) => {
    const parts = (at: Date) => dateText(at).split('-')
    return {
      text: `${parts(on)
        .map((part, index) => (stars.includes(index) ? '*' : part))
        .join('.')} ${spansText(all)}`,
      isActive: (at) =>
        parts(at).every((part, index) => stars.includes(index) || part === parts(on)[index]) && inSpans(all, at),
    }
  })

const time = fc.array(fc.oneof(weekly, dates, repeated), { minLength: 1, maxLength: 4 })
const moment = fc.tuple(day, fc.nat(1439)).map(([date, minute]) => date.getTime() + minute * 60_000)

function timelineOf(elements: readonly Element[]): Timeline {
  return elements.reduce((timeline, { text }) => {
    const read = parseTime(text, YEAR)
    assert.ok(read.timeline !== undefined, `${text}: ${read.note}`)
    return either(timeline, read.timeline)
  }, NEVER)
}

test('spans of the policy are in force when the time of squidGuard is, and those of outside when it is not', () => {
  fc.assert(
    fc.property(time, time, fc.array(moment, { minLength: 20, maxLength: 20 }), (elements, others, moments) => {
      const [one, other] = [timelineOf(elements), timelineOf(others)]
      const schedules = [one, not(one), both(one, not(other))].map(scheduleOf)
      for (const at of moments) {
        const isIn = (all: readonly Element[]) => all.some(({ isActive }) => isActive(new Date(at)))
        const found = schedules.map((one) => isWithin(one, at))
        assert.deepEqual(
          found,
          [isIn(elements), !isIn(elements), isIn(elements) && !isIn(others)],
          `${elements.map(({ text }) => text)}; ${others.map(({ text }) => text)} at ${new Date(at).toISOString()}`,
        )
      }
      assert.ok(isSame(one, not(not(one))))
      assert.ok(isNever(both(one, not(one))))
    }),
    propertyRuns(300),
  )
})

test('names of days, dates of every year, and what is none of them', () => {
  const read = (text: string) => {
    const { timeline, note } = parseTime(text, YEAR)
    return timeline === undefined ? note : spansOf(timeline)
  }
  const days = (words: string) => read(`${words} 08:00-09:00`)
  const hours = { from: '08:00', to: '09:00' }
  assert.deepEqual(days('*'), [hours])
  assert.deepEqual(days('*.*.*'), [hours])
  assert.deepEqual(days('monday, tue wednesdays'), [{ days: 'mon-wed', ...hours }])
  assert.deepEqual(days('SA'), [{ days: 'sat,sun', ...hours }])
  assert.deepEqual(days('fri'), [{ days: 'fri', ...hours }])
  assert.deepEqual(read('2026-11-27'), [{ on: '2026-11-27' }])
  assert.deepEqual(read('2026.04.14 - 2026.04.17 12:00-24:00'), [
    { on: '2026-04-14', until: '2026-04-17', from: '12:00' },
  ])
  assert.deepEqual(read('2026-*-*'), [{ on: '2026-01-01', until: '2026-12-31' }])
  assert.deepEqual(read('2026-01-01-9999-12-31'), [{ on: '2026-01-01', until: '9999-12-31' }])
  assert.deepEqual(read('*.02.29'), [{ on: '2028-02-29' }, { on: '2032-02-29' }])
  const yearly = parseTime('*.12.24', YEAR)
  assert.equal(yearly.timeline && spansOf(yearly.timeline).at(-1)?.on, '2035-12-24')
  assert.equal(yearly.note, "imported until 2035: the policy's dates have a year")
  assert.equal(days('monkeys'), 'is not understood')
  assert.equal(read('m 08:00-24:30'), 'is not understood')
  assert.equal(read(''), 'is not understood')
  assert.equal(read('2026.02.30'), 'has a date that does not exist')
  assert.equal(read('*.04.31'), 'has a date that does not exist')
  assert.match(String(read('2026.11.28-2026.11.27')), /^ends before it begins/)
})

test('hours of every week have one span each, and dates their own; the hours outside have spans between the dates', () => {
  const free = timelineOf(
    ['a 00:00-24:00', '* 17:00-24:00', '2026.12.24', '2026.12.26-2026.12.27'].map((text) => ({
      text,
      isActive: () => false,
    })),
  )
  assert.deepEqual(spansOf(free), [
    { days: 'mon-fri,sun', from: '17:00' },
    { days: 'sat' },
    { on: '2026-12-24' },
    { on: '2026-12-26', until: '2026-12-27' },
  ])
  assert.deepEqual(spansOf(not(free)), [
    { days: 'mon-fri,sun', until: '2026-12-23', to: '17:00' },
    { on: '2026-12-25', to: '17:00' },
    { days: 'mon-fri,sun', on: '2026-12-28', until: '9999-12-31', to: '17:00' },
  ])
})

test('more spans than a rule may have are several schedules, each for a rule', () => {
  const { timeline = NEVER } = parseTime('*.*.05 08:00-09:00', YEAR)
  const schedules = createSchedules({ times: [{ name: 'fifth', line: 1, timeline }] })
  assert.deepEqual(schedules.whensOf(timeline), [['fifth'], ['fifth-2']])
  assert.deepEqual(
    schedules.named().map(({ name, spans }) => [name, spans.length]),
    [
      ['fifth', 100],
      ['fifth-2', 20],
    ],
  )
  assert.deepEqual(schedules.whensOf(both(timeline, not(timeline))), [])
})

const address = fc.integer({ min: 0, max: 0xffffffff })
const dotted = (word: number) => [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255].join('.')

test('a range becomes networks with exactly its addresses', () => {
  const near = fc
    .tuple(address, fc.nat(600))
    .map(([first, length]) => [first, Math.min(0xffffffff, first + length)] as const)
  const far = fc.tuple(address, address).map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const)
  fc.assert(
    fc.property(fc.oneof(near, far), fc.array(address, { maxLength: 10 }), ([first, last], others) => {
      const { ranges, faults } = parseAddresses(`${dotted(first)} - ${dotted(last)}`)
      assert.deepEqual(faults, [])
      assert.ok(ranges.length <= 62)
      const list = new BlockList()
      for (const range of ranges) {
        const [network = '', length = '32'] = range.split('/')
        list.addSubnet(network, Number(length), 'ipv4')
      }
      for (const word of [first, last, first - 1, last + 1, ...others]) {
        if (word < 0 || word > 0xffffffff) continue
        assert.equal(list.check(dotted(word)), word >= first && word <= last, `${dotted(word)}: ${ranges}`)
      }
    }),
    propertyRuns(1000),
  )
})
