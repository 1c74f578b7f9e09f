// Seen: with a schedule of a hundred spans, as a timetable with dates has, each request that its rule stopped took the engine 155
// to 260 ms, during which it decided nothing else: for "opens again at", each change of each span asked Intl for the time in its
// zone, and only 64 minutes were kept. A rule could have 10,000 spans, because the limit of a hundred counted a schedule of
// [schedules] as one. Since schedules can have several spans (2026.48.6). Now the limit counts spans, and a zone is asked once
// between two changes of its clocks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRule } from '../../src/engine/policy/policy.ts'
import { Subject } from '../../src/engine/policy/subject.ts'
import { opensAt } from '../../src/engine/verdict/opens-at.ts'
import { requestFor } from '../engine/request-for.ts'
import { configure, policy } from '../engine/running-engine.ts'
import { cpuMilliseconds } from '../support/cpu-time.ts'
import { rule } from '../support/rules.ts'

const REQUESTS = 20
/** Each took at least 155 before, and takes less than 5. */
const MAXIMUM_MS = 50
const FIRST = Date.parse('2026-11-27T08:00:00Z')
const two = (number: number) => String(number).padStart(2, '0')
/** They begin and end in different minutes, and in one of them it is always in force. */
const SPANS = Array.from({ length: 100 }, (_, index) => {
  const [hour, minute] = [Math.floor((index * 14) / 60), (index * 14) % 60]
  return `{ days = "mon-sun", from = "${two(hour)}:${two(minute)}", to = "${two(hour)}:${two((minute + 59) % 60)}", timezone = "Europe/Zurich" }`
})
const GAMES = 'match = ["games.example"]'

/** For requests that are stopped one minute after the other, the times at which they are allowed. */
function openings(rules: string): { readonly times: readonly (number | undefined)[]; readonly milliseconds: number } {
  const { policy: loaded } = configure(policy(rules))
  const request = requestFor('https://games.example/')
  const times: (number | undefined)[] = []
  const milliseconds = cpuMilliseconds(() => {
    for (let number = 0; number < REQUESTS; number++) {
      const subject = new Subject(request, FIRST + number * 61_000)
      times.push(opensAt(loaded, findRule(loaded, subject)?.rule ?? assert.fail('nothing stops it'), subject))
    }
  })
  return { times, milliseconds: milliseconds / REQUESTS }
}

test('a hundred spans are compared in milliseconds', () => {
  const { times, milliseconds } = openings(rule('timetable', 'block', GAMES, `when = [${SPANS.join(', ')}]`))
  assert.deepEqual(new Set(times), new Set([undefined]))
  assert.ok(milliseconds < MAXIMUM_MS, `${milliseconds} ms for each request`)
})

test('the spans of the schedules that a rule names count as its own', () => {
  const schedules = `[schedules]\nlong = [${SPANS.join(', ')}]\nlunch = ${SPANS[0]}\n`
  const problemsOf = (when: string) => () => configure(policy(`${rule('timetable', 'block', GAMES, when)}${schedules}`))
  assert.throws(
    problemsOf('when = ["long", "lunch"]'),
    /rules\[1\]\.when must have at most 100 spans, those of the schedules that it names included \(it has 101\); it is now a list$/m,
  )
  problemsOf('when = "long"')()
})

test('control: one span always was', () => {
  const { times, milliseconds } = openings(rule('lesson', 'block', GAMES, 'when = { to = "12:00", timezone = "UTC" }'))
  assert.deepEqual(new Set(times), new Set([Date.parse('2026-11-27T12:00:00Z') / 1000]))
  assert.ok(milliseconds < MAXIMUM_MS, `${milliseconds} ms for each request`)
})
