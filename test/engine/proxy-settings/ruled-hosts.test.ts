// What makes a host ruled, row by row.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Policy } from '../../../src/engine/policy/policy.ts'
import { createRuledHosts, type RuledHosts } from '../../../src/engine/proxy-settings/ruled-hosts.ts'
import { rule } from '../../support/rules.ts'
import { configure, policy as policyText } from '../running-engine.ts'

const LISTS = '[[lists]]\nname = "ads"\npath = "ads.txt"\n[[lists]]\nname = "games"\npath = "games.txt"\n'
const NAMES: Readonly<Record<string, readonly string[]>> = {
  ads: ['ads.example', 'xn--bcher-kva.example', '192.0.2.7'],
  games: ['games.example', 'both.example', 'a.ads.example'],
}
const FILES = { 'students.txt': 'anna', 'holidays.txt': '2026-12-25' }
const GROUPS = '[groups]\nstudents = { file = "students.txt" }\n'

function policyWith(rules: readonly string[], topLevel = ''): Policy {
  return configure(policyText(`${rules.join('')}${LISTS}${GROUPS}`, topLevel), FILES, NAMES).policy
}

function ruled(rules: readonly string[], topLevel?: string, allowed = false): RuledHosts {
  return createRuledHosts({ current: policyWith(rules, topLevel) }, { allowed })
}

const ADS = 'lists = ["ads"]'
const STUDENTS = 'groups = ["students"]'
const CASINOS = 'match = [".casino.example"]'
const CASINO = rule('casino', 'block', CASINOS)
const WHEN = 'when = { days = "sun", from = "03:00", to = "03:01", not_on = "holidays.txt" }'
const EXCEPT = 'except = { match = [".casino.example"], lists = ["ads"], clients = ["0.0.0.0/0"] }'

/** Rules, the hosts that they make ruled, and hosts that they do not. */
const ROWS: readonly (readonly [what: string, rules: readonly string[], ruled: string, unruled: string])[] = [
  ['no rules', [], '', 'news.example 192.0.2.7 2001:db8::7 localhost'],
  ['a host', [rule('r0', 'block', 'match = ["a.example"]')], 'a.example', 'b.a.example example aa.example 192.0.2.7'],
  ['all below a host', [rule('r0', 'block', 'match = ["*.a.example"]')], 'b.a.example c.b.a.example', 'a.example'],
  ['a host and all below it', [CASINO], 'casino.example www.casino.example', 'example www.example mycasino.example'],
  ['a path', [rule('r0', 'block', 'match = [".v.example/shorts"]')], 'v.example m.v.example', 'example w.example'],
  ['a list', [rule('r0', 'block', ADS)], 'www.ads.example xn--bcher-kva.example 192.0.2.7', 'example games.example'],
  [
    'a list and a host: both',
    [rule('r0', 'block', 'match = [".ads.example"]', 'lists = ["games"]')],
    ...['b.a.ads.example', 'ads.example b.ads.example games.example'],
  ] as const,
  ['every host, in a list', [rule('r0', 'block', 'match = ["*"]', ADS)], 'ads.example', 'games.example'],
  [
    'a warning, and a policy to accept, with sessions',
    [rule('w', 'warn'), rule('p', 'aup'), rule('n', 'warn', 'match = ["n.example"]', 'acknowledge = false')],
    ...['w.example p.example n.example', 'example'],
  ] as const,
  [
    'whom, when and exceptions make none unruled',
    [`${CASINO}clients = ["198.51.100.7"]\nusers = ["anna"]\ngroups = ["students"]\n${WHEN}\n${EXCEPT}\n`],
    ...['casino.example www.casino.example', 'ads.example'],
  ] as const,
  ['"allow" makes none unruled', [rule('r0', 'allow', CASINOS), CASINO], 'casino.example', 'example'],
  [
    '"allow" alone rules nothing',
    [
      rule('r0', 'allow', CASINOS),
      rule('r1', 'allow', ADS),
      rule('r2', 'allow', STUDENTS),
      rule('r3', 'allow', 'match = ["*"]'),
    ],
    ...['', 'casino.example ads.example news.example 192.0.2.7'],
  ] as const,
  [
    '"allow" with a path, which may be ambiguous, also as an exception',
    [
      rule('r0', 'allow', 'match = ["a.example/open", "b.example"]'),
      rule('r1', 'allow', STUDENTS, 'except = { match = [".c.example/x", "b.example"] }'),
    ],
    ...['a.example www.c.example', 'b.example www.a.example'],
  ] as const,
  ['an address', [rule('r0', 'block', 'match = ["192.0.2.9", "2001:db8::9"]')], '192.0.2.9 2001:db8::9', '192.0.2.8'],
  [
    'a network: every address',
    [rule('r0', 'block', 'match = ["10.0.0.0/8"]')],
    '10.1.2.3 2001:db8::8',
    '1.2.3.4.example',
  ],
  ['a network of an exception', [`${CASINO}except = { match = ["2001:db8::/32"] }\n`], '192.0.2.8', 'a.example'],
  [
    'what the proxy applies makes no difference',
    [CASINO, '[inspection]\nexempt = ["e.example"]\nyoutube = "strict"\n'],
    ...['casino.example', 'e.example www.youtube.com'],
  ] as const,
]

for (const [what, rules, yes, no] of ROWS) {
  test(what, () => {
    const ruledHosts = ruled(rules)
    assert.equal(ruledHosts.every, undefined)
    for (const host of yes.split(' ').filter(Boolean)) assert.ok(ruledHosts.find(host), host)
    for (const host of no.split(' ').filter(Boolean)) assert.equal(ruledHosts.find(host), undefined, host)
  })
}

/** Keys of a rule that rules every host. */
const EVERY: readonly (readonly [action: string, ...keys: string[]])[] = [
  ['block', 'clients = ["198.51.100.7"]'],
  ['block', 'users = ["anna"]'],
  ['aup', STUDENTS],
  ['block', 'when = { from = "22:00", to = "06:00" }'],
  ['warn', 'match = ["*"]'],
  ['aup', 'match = ["a.example", "*"]', 'clients = ["198.51.100.7"]', 'except = { match = ["b.example"] }'],
  ['block', 'when = { days = "mon-sun" }', 'except = { match = [".a.example"], lists = ["ads"] }'],
  ['block', 'match = ["*/shorts"]'],
  ['allow', 'match = ["*/shorts"]'],
  ['allow', 'when = { from = "22:00", to = "06:00" }', 'except = { match = ["*/x"] }'],
]

test('a rule, the default or the audit log make every host ruled', () => {
  for (const keys of EVERY) {
    const ruledHosts = ruled([CASINO, rule('every', ...keys)])
    for (const ruling of [ruledHosts.every, ruledHosts.find('news.example'), ruledHosts.find('192.0.2.8')]) {
      assert.ok(ruling?.by === 'rule' && ruling.rule.name === 'every', `${keys}: ${JSON.stringify(ruling)}`)
    }
  }
  const rules = [rule('a', 'allow')]
  for (const host of ['a.example', 'news.example', '192.0.2.8']) {
    assert.deepEqual(ruled(rules, 'default = "block"').find(host), { by: 'default' })
    assert.deepEqual(ruled(rules, '', true).find(host), { by: 'audit' })
  }
})

test('what it names: the pattern, the entry, the first rule', () => {
  const ruledHosts = ruled([
    rule('r0', 'block', 'match = ["a.example/x", ".a.example/y", "*.b.example"]'),
    rule('r1', 'block', 'match = [".a.example"]'),
    rule('r2', 'block', 'lists = ["ads", "games"]'),
    rule('r3', 'block', 'match = ["192.0.2.0/24"]'),
  ])
  const shown = (host: string) => {
    const ruling = ruledHosts.find(host)
    if (ruling?.by !== 'rule') return ruling?.by === 'network' ? `network ${ruling.rule.name}` : ruling?.by
    const { rule, pattern = '-', entry } = ruling
    return `${rule.name} ${pattern} ${entry === undefined ? '-' : `${entry.list}:${entry.entry}`}`
  }
  assert.deepEqual(
    ['a.example', 'www.a.example', 'c.b.example', 'x.ads.example', '192.0.2.7', 'news.example'].map(shown),
    ['r0 a.example/x -', 'r0 .a.example/y -', 'r0 *.b.example -', 'r2 - ads:ads.example', 'network r3', undefined],
  )
})

test('a reload is followed', () => {
  const policies = { current: policyWith([CASINO]) }
  const ruledHosts = createRuledHosts(policies, { allowed: false })
  assert.equal(ruledHosts.find('games.example'), undefined)
  policies.current = policyWith([rule('games', 'block', 'lists = ["games"]')])
  assert.ok(ruledHosts.find('games.example'))
  assert.equal(ruledHosts.find('casino.example'), undefined)
  policies.current = policyWith([], 'default = "block"')
  assert.deepEqual(ruledHosts.every, { by: 'default' })
})
