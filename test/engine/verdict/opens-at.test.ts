// When a request that is stopped will be allowed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRule } from '../../../src/engine/policy/policy.ts'
import { Subject } from '../../../src/engine/policy/subject.ts'
import { opensAt } from '../../../src/engine/verdict/opens-at.ts'
import { rule } from '../../support/rules.ts'
import { requestFor } from '../request-for.ts'
import { configure, policy } from '../running-engine.ts'

const LESSON = 'when = { days = "mon-fri", from = "08:00", to = "12:00", timezone = "Europe/Zurich" }'
const AFTERNOON = 'when = { from = "12:00", to = "17:00", timezone = "Europe/Zurich" }'
const GAMES = 'match = ["games.example"]'
const AT = Date.parse('2026-11-20T08:17:00Z')
const NOON = Date.parse('2026-11-20T11:00:00Z') / 1000
const EVENING = Date.parse('2026-11-20T16:00:00Z') / 1000

function openingOf(rules: string): number | undefined {
  const { policy: loaded } = configure(policy(rules))
  const request = requestFor('https://games.example/')
  const match = findRule(loaded, new Subject(request, AT)) ?? assert.fail('nothing stops it')
  return opensAt(loaded, match.rule, new Subject(request, AT))
}

test('when the schedule of the rule ends', () => {
  for (const action of ['block', 'warn', 'aup']) assert.equal(openingOf(rule('lesson', action, GAMES, LESSON)), NOON)
})

test('when a rule before it begins to allow it, also without a schedule of its own', () => {
  const breaks = ['{ from = "10:00", to = "10:20", timezone = "Europe/Zurich" }', '"lunch"']
  const allow = (when: string) => rule('breaks', 'allow', GAMES, `when = [${when}]`)
  const lunch = '[schedules.lunch]\nfrom = "12:00"\nto = "13:00"\ntimezone = "Europe/Zurich"\n'
  const always = rule('always', 'block', GAMES)
  const ten = Date.parse('2026-11-20T09:00:00Z') / 1000
  assert.equal(openingOf(`${allow(breaks.join(', '))}${always}${lunch}`), ten)
  assert.equal(openingOf(`${allow('"lunch"')}${always}${lunch}`), NOON)
  assert.equal(openingOf(`${rule('first', 'block', GAMES)}${allow('"lunch"')}${lunch}`), undefined)
  const onSunday = '{ on = "2026-11-22", timezone = "Europe/Zurich" }'
  assert.equal(openingOf(`${allow(onSunday)}${always}`), undefined, 'in 38 hours')
})

test('not without a schedule', () => assert.equal(openingOf(rule('games', 'block', GAMES)), undefined))

test('when no other rule stops the same request, either', () => {
  const lesson = rule('lesson', 'block', GAMES, LESSON)
  assert.equal(openingOf(`${lesson}${rule('always', 'block', GAMES)}`), undefined)
  assert.equal(openingOf(`${lesson}${rule('afternoon', 'warn', GAMES, AFTERNOON)}`), EVENING)
  assert.equal(
    openingOf(`${lesson}${rule('afternoon', 'allow', GAMES, AFTERNOON)}${rule('always', 'block', GAMES)}`),
    NOON,
  )
  assert.equal(openingOf(`${lesson}${rule('others', 'block', 'match = ["other.example"]')}`), NOON)
})

test('not if the schedule goes on for more than 36 hours', () => {
  assert.equal(
    openingOf(rule('week', 'block', GAMES, 'when = { days = "mon-fri" }')),
    Date.parse('2026-11-21T00:00:00Z') / 1000,
  )
  assert.equal(openingOf(rule('always', 'block', GAMES, 'when = { days = "mon-sun" }')), undefined)
})
