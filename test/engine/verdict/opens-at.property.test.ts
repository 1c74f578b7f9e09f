// When a request will be allowed, against a second implementation that decides about it minute by minute, most of them around
// changes of the clocks. A failure prints the seed that repeats it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findRule } from '../../../src/engine/policy/policy.ts'
import { Subject } from '../../../src/engine/policy/subject.ts'
import { opensAt } from '../../../src/engine/verdict/opens-at.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { type ObviousRule, obviousRule } from '../policy/obvious-policy.ts'
import { FILES, LISTS, toToml, when } from '../policy/random-policy.ts'
import { requestFor } from '../request-for.ts'
import { configure } from '../running-engine.ts'

const MINUTE_MS = 60_000
const LONGEST_MS = 36 * 60 * MINUTE_MS
/** How long before a change of the clocks requests are stopped, and every how many minutes. */
const BEFORE_MS = 6 * 60 * MINUTE_MS
const EVERY = 11
const URL = 'https://games.example/'
const CLIENT = '198.51.100.7'

const words = (text: string) => fc.constantFrom(...text.split(' '))
/** Changes of the clocks, each in its zone. */
const change = fc.constantFrom(
  { zone: 'Europe/Zurich', at: '2026-10-25T01:00Z' },
  { zone: 'Europe/Zurich', at: '2027-03-28T01:00Z' },
  { zone: 'America/New_York', at: '2027-03-14T07:00Z' },
  { zone: 'Australia/Lord_Howe', at: '2027-04-03T15:00Z' },
  { zone: 'Australia/Lord_Howe', at: '2026-10-03T15:30Z' },
)
/** Spans that begin or end near it. */
const nearSpan = (timezone: string) =>
  fc
    .record({
      from: words('00:00 01:00 01:45 02:15 02:30 03:00 22:00'),
      to: words('01:30 02:00 02:30 03:30 04:00 24:00'),
    })
    .filter(({ from, to }) => from !== to)
    .map((times) => ({ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], ...times, timezone, holidays: [] }))
const scene = change.chain(({ zone, at }) => {
  const near = fc.array(nearSpan(zone), { minLength: 1, maxLength: 2 })
  return fc.record({ all: rulesWith(fc.oneof(near, near, when)), begin: fc.constant(Date.parse(at) - BEFORE_MS) })
})

function rulesWith(when: fc.Arbitrary<readonly object[]>) {
  return fc
    .array(
      fc.record({
        action: fc.constantFrom('allow', 'block', 'block', 'warn'),
        match: fc.constantFrom(['games.example'], ['games.example'], ['other.example']),
        when: fc.option(when, { nil: undefined, freq: 4 }),
      }),
      { minLength: 1, maxLength: 3 },
    )
    .map((all): ObviousRule[] => JSON.parse(JSON.stringify(all.map((one, index) => ({ name: `r${index}`, ...one })))))
}

/** Whether a request is allowed in each minute from the beginning on. */
function obviouslyAllowed(all: readonly ObviousRule[], otherwise: 'allow' | 'block', begin: number): boolean[] {
  const policy = { rules: all, lists: {}, groups: {}, rooms: {}, on: {}, strip: [] }
  return Array.from({ length: (BEFORE_MS + LONGEST_MS) / MINUTE_MS + EVERY }, (_, minute) => {
    const at = begin + minute * MINUTE_MS
    const name = obviousRule(policy, { url: URL, client: CLIENT, user: undefined, at })
    return (name === undefined ? otherwise : all.find((rule) => rule.name === name)?.action) === 'allow'
  })
}

test('finds the minute that the obvious implementation finds', () => {
  let opened = 0
  let stopped = 0
  fc.assert(
    fc.property(
      scene,
      fc.constantFrom('allow', 'block'),
      fc.nat({ max: EVERY }),
      ({ all, begin }, otherwise, first) => {
        const policy = { ...configure(toToml(all), FILES, LISTS).policy, default: otherwise }
        const request = requestFor(URL, undefined, CLIENT)
        const allowed = obviouslyAllowed(all, otherwise, begin)
        for (let minute = first; minute <= BEFORE_MS / MINUTE_MS; minute += EVERY) {
          const now = begin + minute * MINUTE_MS + 7_000
          const match = findRule(policy, new Subject(request, now))
          assert.equal((match?.rule.action ?? otherwise) === 'allow', allowed[minute])
          if (allowed[minute]) continue
          const found = opensAt(policy, match?.rule ?? {}, new Subject(request, now))
          const wait = allowed.slice(minute, minute + 1 + LONGEST_MS / MINUTE_MS).indexOf(true)
          const expected = wait === -1 ? undefined : (begin + (minute + wait) * MINUTE_MS) / 1000
          stopped++
          if (found !== undefined) opened++
          assert.equal(found, expected, new Date(now).toISOString())
        }
      },
    ),
    propertyRuns(150),
  )
  assert.ok(opened > stopped / 50, `only ${opened} of ${stopped} requests were allowed later`)
})
