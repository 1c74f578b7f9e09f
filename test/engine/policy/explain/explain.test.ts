import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Explanation, explain } from '../../../../src/engine/policy/explain/explain.ts'
import { linesThatChange } from '../../../../src/engine/policy/explain/policy-lines.ts'
import { findRule, type Policy } from '../../../../src/engine/policy/policy.ts'
import { rule } from '../../../support/rules.ts'
import { subjectFor } from '../../request-for.ts'
import { configure, policy } from '../../running-engine.ts'

// A Saturday.
const AT = Date.parse('2026-11-21T08:03Z')
const RULES = `
${rule('lessons', 'block', 'match = ["video.example/shorts"]', 'clients = ["10.0.0.0/8"]', 'groups = ["students"]', 'when = { days = "mon-fri", from = "08:00", to = "16:30", timezone = "Europe/Zurich" }')}
${rule('games', 'block', 'lists = ["games", "bets"]', 'except = { users = ["smith"], match = ["chess.games.example"] }')}
${rule('news', 'warn', 'match = [".news.example"]')}
${rule('open', 'allow', 'match = ["open.example"]')}
[[lists]]
name = "games"
path = "games.txt"
[[lists]]
name = "bets"
path = "bets.txt"
[groups]
students = { users = ["anna"] }`

function load(text: string): Policy {
  return configure(text, {}, { games: ['other.example'], bets: ['games.example'] }).policy
}

const ask = (url: string, user?: string, address = '198.51.100.7') => subjectFor(url, { user, address, at: AT })

const triedOf = ({ tried }: Explanation) => tried.map(({ rule, mismatches }) => [rule.name, ...mismatches])

test('names everything of a rule that does not match, and the list and entry of the one that decides', () => {
  const explained = explain(load(policy(RULES)), ask('https://www.games.example/', 'ben'))
  assert.deepEqual(triedOf(explained), [
    [
      'lessons',
      'when: mon,tue,wed,thu,fri 08:00 to 16:30, Europe/Zurich; it is sat 09:03 there',
      'clients: none of them contains 198.51.100.7',
      'groups: the user is "ben", in none of "students"',
      'match: no pattern covers www.games.example',
    ],
    ['games'],
  ])
  assert.deepEqual(explained.decided?.reason, { pattern: undefined, entry: { list: 'bets', entry: 'games.example' } })
})

test('exceptions, paths and requests without a user', () => {
  const loaded = load(policy(RULES))
  const reasons = (url: string, user?: string) => triedOf(explain(loaded, ask(url, user, '10.1.1.1')))
  assert.deepEqual(reasons('http://chess.games.example/')[1], [
    'games',
    'except: "chess.games.example" covers the request',
  ])
  assert.deepEqual(reasons('http://games.example/', 'smith')[1], ['games', 'except: the user is "smith"'])
  assert.deepEqual(reasons('http://video.example/films')[0]?.slice(2), [
    'groups: the proxy names no user',
    'match: no pattern covers video.example with the path /films',
  ])
  assert.deepEqual(explain(loaded, ask('http://open.example/')).decided?.reason, {
    pattern: 'open.example',
    entry: undefined,
  })
  assert.equal(explain(loaded, ask('http://unknown.example/')).decided, undefined)
})

for (const url of [
  ...['http://www.games.example/x', 'http://www.news.example/', 'http://open.example/', 'http://unknown.example/'],
  ...['http://192.0.2.1/', 'http://[2001:db8::1]/', 'http://chess.games.example/'],
]) {
  for (const byDefault of ['allow', 'block']) {
    test(`the lines for ${url}, in their place, change the outcome where the default is ${byDefault}`, () => {
      const text = policy(RULES, `default = "${byDefault}"`)
      const loaded = load(text)
      const request = ask(url)
      const outcome = (one: Policy) => findRule(one, request)?.rule.action ?? one.default
      const suggestions = linesThatChange(loaded, request)
      assert.ok(suggestions.length > 0)
      for (const { place, aboveLine, toml } of suggestions) {
        const lines = text.split('\n')
        const at = aboveLine === undefined ? lines.length : aboveLine - 1
        // A key of a rule belongs to it; the except of the rule "games" has to be changed in place.
        const changed = place.startsWith('in the except')
          ? text.replace('match = ["chess.games.example"]', toml.trim())
          : lines.toSpliced(at, 0, toml).join('\n')
        const isStopped = outcome(loaded) !== 'allow'
        assert.equal(outcome(load(changed)) === 'allow', isStopped, `${place}\n${toml}`)
      }
    })
  }
}

test('the places are named', () => {
  const loaded = load(policy(RULES))
  const places = (url: string) =>
    linesThatChange(loaded, ask(url)).map(({ place, toml }) => `${place}: ${toml.replaceAll('\n', ' ')}`)
  const line = loaded.rules[2]?.line
  assert.deepEqual(places('http://news.example/'), [
    `above line ${line}, the rule "news": [[rules]] name = "allow-news.example" match = [ "news.example" ] action = "allow"  `,
    `in line ${line}, the rule "news": except = { match = ["news.example"] } `,
  ])
})

test('of a locked rule only an exception changes the decision', () => {
  const text = policy(`
${rule('open', 'allow', 'match = ["shop.example"]')}
${rule('shop', 'block', 'match = [".shop.example"]')}
${rule('bets', 'block', 'match = [".shop.example"]', 'locked = true')}`)
  const lines = (url: string) => linesThatChange(load(text), ask(url)).map(({ toml }) => toml)
  assert.deepEqual(lines('http://shop.example/'), ['except = { match = ["shop.example"] }\n'])
  // There, the rule "shop" would stop it.
  assert.deepEqual(lines('http://www.shop.example/'), [])
})

test('an ambiguous path: which rule it is refused for, and no lines that would change that', () => {
  const text = policy(`
${rule('docs', 'block', 'match = ["docs.example/a"]', 'lists = ["games"]')}
${rule('staff', 'allow', 'match = ["video.example/staff"]', 'users = ["smith"]')}
${rule('whole', 'block', 'match = ["whole.example/a", "whole.example"]')}
${rule('films', 'block', 'match = [".video.example"]', 'except = { clients = ["10.0.0.0/8"], match = ["www.video.example/films"] }')}
[[lists]]
name = "games"
path = "games.txt"
`)
  const loaded = load(text)
  const explained = (url: string, user?: string, address?: string) => {
    const request = ask(url, user, address)
    const { decided, tried } = explain(loaded, request)
    const { reason } = decided ?? {}
    const last = reason === 'ambiguous' ? reason : decided?.rule.action
    return [...tried.map(({ rule }) => rule.name), last, linesThatChange(loaded, request).length]
  }
  assert.deepEqual(explained('http://video.example/a/../b', 'smith'), ['docs', 'staff', 'ambiguous', 0])
  const all = ['docs', 'staff', 'whole', 'films']
  assert.deepEqual(explained('http://www.video.example/films/..%2f', 'ben'), [...all, 'block', 2])
  assert.deepEqual(explained('http://www.video.example/films/../x'), [...all, 'ambiguous', 0])
  // Where no path decides.
  for (const url of ['http://video.example/a/../b', 'http://a.video.example/%2e%2e/b']) {
    assert.deepEqual(explained(url, 'ben'), [...all, 'block', 2])
  }
  assert.deepEqual(explained('http://whole.example/a/../b'), ['docs', 'staff', 'whole', 'block', 2])
  for (const url of ['http://docs.example/a/../b', 'http://other.example/a\\b']) {
    assert.deepEqual(explained(url), [...all, undefined, 1])
  }
  const excepted = explained('http://www.video.example/films/../x', 'ben', '10.1.1.1')
  assert.deepEqual(excepted, [...all, undefined, 1])
})

test('an allowed path that servers may read in another way is explained', () => {
  const loaded = load(policy('[[rules]]\nname = "lessons"\nmatch = ["video.example/lessons"]\naction = "allow"'))
  const [[, mismatch] = []] = triedOf(explain(loaded, ask('http://video.example/lessons/..%2Fsh%C3%B6rts?x')))
  assert.equal(
    mismatch,
    'match: no pattern covers video.example with the path /lessons/..%2Fsh%C3%B6rts, also read as /lessons/../shörts or /lessons/..%2Fshörts or /shörts',
  )
})
