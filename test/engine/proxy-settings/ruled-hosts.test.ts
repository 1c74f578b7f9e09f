// What makes a host ruled, row by row.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Policy } from '../../../src/engine/policy/policy.ts'
import { createRuledHosts, type RuledHosts } from '../../../src/engine/proxy-settings/ruled-hosts.ts'
import { configure, policy as policyText } from '../running-engine.ts'

const LISTS = '[[lists]]\nname = "ads"\npath = "ads.txt"\n[[lists]]\nname = "games"\npath = "games.txt"\n'
const NAMES: Readonly<Record<string, readonly string[]>> = {
  ads: ['ads.example', 'xn--bcher-kva.example', '192.0.2.7'],
  games: ['games.example', 'both.example', 'a.ads.example'],
}
const FILES = { 'students.txt': 'anna', 'holidays.txt': '2026-12-25' }
const GROUPS = '[groups]\nstudents = { file = "students.txt" }\n'

function policyWith(rules: readonly string[], topLevel = ''): Policy {
  const text = rules.map((rule, index) => `[[rules]]\nname = "r${index}"\n${rule}\n`).join('')
  return configure(policyText(`${text}${LISTS}${GROUPS}`, topLevel), FILES, NAMES).policy
}

function ruled(rules: readonly string[], topLevel?: string, allowed = false): RuledHosts {
  return createRuledHosts({ current: policyWith(rules, topLevel) }, { allowed })
}

const BLOCK = 'action = "block"'
const CASINO = `match = [".casino.example"]\n${BLOCK}`

/** Rules, the hosts that they make ruled, and hosts that they do not. */
const ROWS: Readonly<Record<string, readonly [rules: readonly string[], ruled: string, unruled: string]>> = {
  'no rules': [[], '', 'news.example 192.0.2.7 2001:db8::7 localhost'],
  'a host': [
    [`match = ["a.example"]\n${BLOCK}`],
    'a.example',
    'b.a.example example aa.example a.example.test 192.0.2.7',
  ],
  'all below a host': [[`match = ["*.a.example"]\n${BLOCK}`], 'b.a.example c.b.a.example', 'a.example ba.example'],
  'a host and all below it': [[CASINO], 'casino.example www.casino.example', 'example www.example mycasino.example'],
  'a path rules its host': [[`match = [".v.example/shorts"]\n${BLOCK}`], 'v.example m.v.example', 'example w.example'],
  'a list, and all below its names': [
    [`lists = ["ads"]\n${BLOCK}`],
    'ads.example www.ads.example xn--bcher-kva.example 192.0.2.7',
    'example games.example 192.0.2.8',
  ],
  'a list and a host: both': [
    [`match = [".ads.example"]\nlists = ["games"]\n${BLOCK}`],
    'a.ads.example b.a.ads.example',
    'ads.example b.ads.example games.example',
  ],
  'every host, in a list': [[`match = ["*"]\nlists = ["ads"]\n${BLOCK}`], 'ads.example', 'games.example'],
  'a warning, and a policy to accept, with sessions': [
    [
      'match = ["w.example"]\naction = "warn"',
      'match = ["p.example"]\naction = "aup"',
      'match = ["n.example"]\naction = "warn"\nacknowledge = false',
    ],
    'w.example p.example n.example',
    'example',
  ],
  'whom and when make none unruled': [
    [
      `${CASINO}\nclients = ["198.51.100.7"]\nusers = ["anna"]\ngroups = ["students"]\nwhen = { days = "sun", from = "03:00", to = "03:01", not_on = "holidays.txt" }`,
    ],
    'casino.example',
    'example',
  ],
  'exceptions make none unruled': [
    [`${CASINO}\nexcept = { match = [".casino.example"], lists = ["ads"], clients = ["0.0.0.0/0"] }`],
    'casino.example www.casino.example',
    'ads.example',
  ],
  'an "allow" rule makes none unruled': [
    ['match = [".casino.example"]\naction = "allow"', CASINO],
    'casino.example',
    'example',
  ],
  '"allow" alone rules nothing': [
    [
      'match = [".a.example"]\naction = "allow"',
      'lists = ["ads"]\naction = "allow"',
      'groups = ["students"]\naction = "allow"',
      'match = ["*"]\naction = "allow"',
    ],
    '',
    'a.example ads.example news.example 192.0.2.7',
  ],
  '"allow" with a path, which may be ambiguous': [
    ['match = ["a.example/open", "b.example"]\naction = "allow"'],
    'a.example',
    'b.example www.a.example',
  ],
  '"allow" with an exception of a path': [
    ['clients = ["198.51.100.7"]\naction = "allow"\nexcept = { match = [".a.example/x", "b.example"] }'],
    'a.example www.a.example',
    'b.example',
  ],
  'an address, by itself': [
    [`match = ["192.0.2.9", "2001:db8::9"]\n${BLOCK}`],
    '192.0.2.9 2001:db8::9',
    '192.0.2.8 2001:db8::8',
  ],
  'a network: every address': [
    [`match = ["10.0.0.0/8"]\n${BLOCK}`],
    '10.1.2.3 192.0.2.8 2001:db8::8',
    'a.example 1.2.3.4.example',
  ],
  'a network of an exception, or of an "allow" rule: the same': [
    [`${CASINO}\nexcept = { match = ["2001:db8::/32"] }`],
    '192.0.2.8',
    'a.example',
  ],
  'what the proxy applies makes no difference': [
    [
      CASINO,
      '[inspection]\nexempt = ["e.example"]\nsafesearch = true\nyoutube = "strict"\n[[inspection.tenants]]\nhosts = ["t.example"]\nheader = "X"\nvalue = "y"',
    ],
    'casino.example',
    'e.example t.example www.google.com www.youtube.com',
  ],
}

for (const [name, [rules, yes, no]] of Object.entries(ROWS)) {
  test(name, () => {
    const settings = rules.filter((text) => text.startsWith('['))
    const own = rules.filter((text) => !text.startsWith('['))
    const ruledHosts = ruled(
      [...own.slice(0, -1), [...own.slice(-1), ...settings].join('\n')].filter((text) => text !== ''),
    )
    assert.equal(ruledHosts.every, undefined)
    for (const host of yes.split(' ').filter(Boolean)) assert.ok(ruledHosts.find(host), host)
    for (const host of no.split(' ').filter(Boolean)) assert.equal(ruledHosts.find(host), undefined, host)
  })
}

const EVERY: Readonly<Record<string, string>> = {
  'clients alone': `clients = ["198.51.100.7"]\n${BLOCK}`,
  'users alone': `users = ["anna"]\n${BLOCK}`,
  'groups alone': `groups = ["students"]\naction = "aup"`,
  'a time alone': `when = { from = "22:00", to = "06:00" }\n${BLOCK}`,
  'every host': 'match = ["*"]\naction = "warn"',
  'every host, for some clients, except some':
    'match = ["a.example", "*"]\nclients = ["198.51.100.7"]\naction = "aup"\nexcept = { match = ["b.example"] }',
  'only exceptions': `when = { days = "mon-sun" }\nexcept = { match = [".a.example"], lists = ["ads"] }\n${BLOCK}`,
  'a path of every host': `match = ["*/shorts"]\n${BLOCK}`,
  'an allowed path of every host': 'match = ["*/shorts"]\naction = "allow"',
  'an allowed time, except a path of every host':
    'when = { from = "22:00", to = "06:00" }\naction = "allow"\nexcept = { match = ["*/x"] }',
}

for (const [name, rule] of Object.entries(EVERY)) {
  test(`${name}: every host is ruled`, () => {
    const ruledHosts = ruled([CASINO, rule])
    for (const ruling of [ruledHosts.every, ruledHosts.find('news.example'), ruledHosts.find('192.0.2.8')]) {
      assert.ok(ruling?.by === 'rule' && ruling.rule.name === 'r1', JSON.stringify(ruling))
    }
  })
}

test('the default and the audit log make every host ruled', () => {
  const rules = ['match = ["a.example"]\naction = "allow"']
  for (const host of ['a.example', 'news.example', '192.0.2.8']) {
    assert.deepEqual(ruled(rules, 'default = "block"').find(host), { by: 'default' })
    assert.deepEqual(ruled(rules, '', true).find(host), { by: 'audit' })
  }
})

test('what it names: the pattern, the entry, the first rule', () => {
  const ruledHosts = ruled([
    `match = ["a.example/x", ".a.example/y", "*.b.example"]\n${BLOCK}`,
    `match = [".a.example"]\n${BLOCK}`,
    `lists = ["ads", "games"]\n${BLOCK}`,
    `match = ["192.0.2.0/24"]\n${BLOCK}`,
  ])
  const shown = (host: string) => {
    const ruling = ruledHosts.find(host)
    if (ruling?.by === 'network') return `network ${ruling.rule.name}`
    if (ruling?.by !== 'rule') return ruling?.by
    return `${ruling.rule.name} ${ruling.pattern ?? '-'} ${ruling.entry === undefined ? '-' : Object.values(ruling.entry).join(':')}`
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
  policies.current = policyWith([`lists = ["games"]\n${BLOCK}`])
  assert.ok(ruledHosts.find('games.example'))
  assert.equal(ruledHosts.find('casino.example'), undefined)
  policies.current = policyWith([], 'default = "block"')
  assert.deepEqual(ruledHosts.every, { by: 'default' })
})
