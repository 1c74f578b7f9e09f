// Times and addresses of squidGuard against obvious twins.
import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { isWithin, type Schedule } from '../../../src/engine/policy/schedule/schedule.ts'
import { schedule } from '../../../src/engine/policy/schedule/schedule-shape.ts'
import { zoneClock } from '../../../src/engine/policy/schedule/zone-clock.ts'
import { parseAddresses } from '../../../src/gatewayctl/import/squidguard/addresses.ts'
import { not, parseWeekly, type Span, spansOf, type Week } from '../../../src/gatewayctl/import/squidguard/week.ts'
import { propertyRuns } from '../../support/property-runs.ts'

const UTC = zoneClock('UTC') ?? assert.fail()

/** As the engine reads it from a policy. */
function scheduleOf(span: Span): Schedule {
  return schedule.parse(span).map((read) => {
    assert.ok(typeof read === 'object')
    const { days, from, to } = read
    return { days, from, to, clock: UTC, first: -Infinity, last: Infinity, notOn: new Set() }
  })
}

const time = fc.tuple(fc.nat(23), fc.nat(59)).map(([hour, minute]) => hour * 60 + minute)
const text = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

test('spans of the policy, and those of outside, are in force in the minutes in which the time is, or is not', () => {
  const LETTERS = 'smtwhfa'
  fc.assert(
    fc.property(
      fc.subarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1 }),
      fc.array(
        fc
          .tuple(time, fc.integer({ min: 1, max: 1440 }))
          .map(([from, to]) => [Math.min(from, to - 1), Math.max(from + 1, to)] as const),
        { minLength: 1, maxLength: 3 },
      ),
      fc.array(fc.tuple(fc.nat(6), time), { minLength: 20, maxLength: 20 }),
      (days, spans, moments) => {
        const letters = days.map((day) => LETTERS[day]).join('')
        const week = parseWeekly(`${letters} ${spans.map(([from, to]) => `${text(from)} - ${text(to)}`).join(' ')}`)
        assert.ok(typeof week !== 'string')
        for (const [day, minute] of moments) {
          // 2026-11-22 is a Sunday.
          const at = Date.UTC(2026, 10, 22 + day, 0, minute)
          const expected = days.includes(day) && spans.some(([from, to]) => minute >= from && minute < to)
          const isFound = (one: Week) => spansOf(one)?.some((span) => isWithin(scheduleOf(span), at)) ?? true
          const found: readonly boolean[] = [isFound(week), isFound(not(week))]
          assert.deepEqual(found, [expected, !expected], `${letters} ${spans.map(String)} on ${day} at ${text(minute)}`)
        }
      },
    ),
    propertyRuns(500),
  )
})

test('names of days, all days, and an empty week', () => {
  const days = (words: string) => {
    const week = parseWeekly(`${words} 08:00-09:00`)
    return typeof week === 'string' ? week : spansOf(week)?.map((span) => span.days)
  }
  assert.deepEqual(days('*'), ['mon-sun'])
  assert.deepEqual(days('*.*.*'), ['mon-sun'])
  assert.deepEqual(days('monday, tue wednesdays'), ['mon-wed'])
  assert.deepEqual(days('SA'), ['sat,sun'])
  assert.deepEqual(days('fri'), ['fri'])
  assert.equal(days('monkeys'), 'is not understood')
  assert.equal(parseWeekly('m 08:00-24:30'), 'is not understood')
  assert.equal(parseWeekly(''), 'is not understood')
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
