// When a request that a rule with a schedule stops will be allowed.
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

function openingOf(rules: string): number | undefined {
  const { policy: loaded } = configure(policy(rules))
  const request = requestFor('https://games.example/')
  const match = findRule(loaded, new Subject(request, AT)) ?? assert.fail('nothing stops it')
  return opensAt(loaded, match.rule, request, AT)
}

test('when the schedule of the rule ends', () => {
  for (const action of ['block', 'warn', 'aup']) assert.equal(openingOf(rule('lesson', action, GAMES, LESSON)), NOON)
})

test('not without a schedule', () => assert.equal(openingOf(rule('games', 'block', GAMES)), undefined))

test('not if another rule stops the same request then, and again if that allows it', () => {
  const lesson = rule('lesson', 'block', GAMES, LESSON)
  assert.equal(openingOf(`${lesson}${rule('always', 'block', GAMES)}`), undefined)
  assert.equal(openingOf(`${lesson}${rule('afternoon', 'warn', GAMES, AFTERNOON)}`), undefined)
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
