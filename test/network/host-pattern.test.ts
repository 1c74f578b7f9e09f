// Entries that name hosts: what they match, and what to write instead of those that could match nothing.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { warningsOf } from '../../src/engine/policy/explain/warnings.ts'
import { findRule } from '../../src/engine/policy/policy.ts'
import { subjectFor } from '../engine/request-for.ts'
import { configure, policy } from '../engine/running-engine.ts'
import { rule } from '../support/rules.ts'

const load = (toml: string) => configure(policy(toml)).policy
const toml = (conditions: string, action = 'block') => rule('r', action, conditions)
const matching = (entry: string) => toml(`match = [${JSON.stringify(entry)}]`)
const exempting = (entry: string) => `[inspection]\nexempt = [${JSON.stringify(entry)}]`

function isMatched(rules: string, url: string): boolean {
  return findRule(load(rules), subjectFor(url)) !== undefined
}

function problem(rules: string): string {
  try {
    load(rules)
    return 'accepted'
  } catch (error) {
    const [, line = ''] = (error as Error).message.split('\n')
    return line.replace(/^\s*policy\.toml:\d+: \S+ must /, '')
  }
}

for (const [entry, matched, others] of [
  ['glob.example/*', ['glob.example', 'glob.example/a/b'], ['www.glob.example']],
  ['.glob.example/a/*', ['www.glob.example/a', 'glob.example/a/b'], ['glob.example/ab', 'glob.example/']],
  ['*/*', ['glob.example/a', '192.0.2.7'], []],
  ['*/ads/*', ['a.example/ads/1'], ['a.example/']],
  [
    '192.0.2.128/25',
    [
      ...['192.0.2.128', '192.0.2.255:8080/a', '192.0.2.200.', '0xc0.0.2.200', '0300.0.2.200', '3221226184'],
      ...['192.0.712', '[::ffff:192.0.2.200]', '[::ffff:c000:2c8]', '１９２.0.2.200'],
    ],
    ['192.0.2.127', 'casino.example', '192.0.2.200.example', '[2001:db8::1]', 'example/25'],
  ],
  ['192.0.2.7/32', ['192.0.2.7'], ['192.0.2.8']],
  ['2001:db8::/32', ['[2001:db8:1::7]', '[2001:0DB8::0.0.0.7]'], ['[2001:db9::]', '192.0.2.7', 'db8.example']],
  ['[2001:db8::]/32', ['[2001:db8:1::7]'], ['[2001:db9::]']],
  ['::ffff:192.0.2.0/120', ['192.0.2.7'], ['192.0.3.7']],
  ['0.0.0.0/0', ['192.0.2.7'], ['[2001:db8::1]', 'casino.example']],
  ['::/0', ['[2001:db8::1]'], ['192.0.2.7', 'casino.example']],
  ['192.0.2.7/2024/report', ['192.0.2.7/2024/report/1'], ['192.0.2.7/2025']],
  ['192.0.2.7:80/24', ['192.0.2.7/24/a'], ['192.0.2.8/']],
] as const) {
  test(`${entry} matches hosts and paths, and no others`, () => {
    for (const url of matched) {
      assert.ok(isMatched(matching(entry), `http://${url}`), url)
      const excepted = toml(`match = ["*"]\nexcept = { match = [${JSON.stringify(entry)}] }`)
      assert.ok(!isMatched(excepted, `http://${url}`), `except: ${url}`)
    }
    for (const url of others) assert.ok(!isMatched(matching(entry), `http://${url}`), url)
  })
}

const IN_PATH = 'have * in a path only as /* at its end, and %2A for the character; write'
const IN_HOST = 'have * in a host only as *. at its beginning; write'
const EACH = `${IN_HOST} each host, such as "casino.example"`
const ADDRESS = 'be an address of four decimal numbers, or a network; write'
const LENGTH = (most: number) =>
  `have a prefix length from 0 to ${most} behind the slash of a network, and nothing behind that`

describe('match: what to write instead', () => {
  for (const [entry, expected] of [
    ['a.example/*/shorts', `${IN_PATH} "a.example"`],
    ['a.example/shorts*', `${IN_PATH} "a.example/shorts"`],
    ['*casino*', EACH],
    ['casino.*', EACH],
    ['*.192.0.2.7', EACH],
    ['*casino.example', `${IN_HOST} ".casino.example" for all hosts below a name`],
    ['www.*.casino.example/x', `${IN_HOST} ".casino.example" for all hosts below a name`],
    ['a.example:*', 'have no port, or a number; write "a.example"'],
    ['192.0.2.*', `${IN_HOST} "192.0.2.0/24"`],
    ['10.*.*.*', `${IN_HOST} "10.0.0.0/8"`],
    ['192.168.1', `${ADDRESS} "192.168.1.0/24"`],
    ['10.', `${ADDRESS} "10.0.0.0/8"`],
    ['010.0.0.1', `${ADDRESS} "8.0.0.1" for what browsers read`],
    ['3221225991', `${ADDRESS} "192.0.2.7" for what browsers read`],
    ['192.0.2.0/255.255.255.128', 'have a prefix length instead of a mask; write "192.0.2.0/25"'],
    ['192.0.2.0/255.0.255.0', LENGTH(32)],
    ['192.0.2.0/33', LENGTH(32)],
    ['192.0.2.0/24/shorts', LENGTH(32)],
    ['2001:db8::/129', LENGTH(128)],
    ['https://casino.example/*', 'have no scheme; write "casino.example"'],
    ['http://u:secret@casino.example/x?y', 'have no scheme; write "casino.example/x"'],
    ['a.example/x?y', 'have no query and no fragment; write "a.example/x"'],
    ['192.0.2.0-192.0.2.9', 'be a host such as'],
    ['casino', 'accepted'],
    ['a.example/%2A/x', 'accepted'],
  ] as const) {
    test(entry, () => {
      const found = [problem(matching(entry)), problem(toml(`match = ["*"]\nexcept = { match = ["${entry}"] }`))]
      for (const one of found) assert.ok(one.startsWith(expected) && !one.includes('secret'), one)
    })
  }
})

describe('exempt: what to write instead', () => {
  for (const [entry, expected] of [
    ['bank.example:8443', 'have no port: all ports are meant; write "bank.example"'],
    ['[2001:db8::7]:443', 'have no port: all ports are meant; write "[2001:db8::7]"'],
    ['https://bank.example:8443/', 'be a host without scheme and path; write "bank.example"'],
    ['bank.example/login', 'have no path: the whole host is meant; write "bank.example"'],
    ['*.bank.example', 'have no *: a host is meant with all hosts below it; write ".bank.example"'],
    ['192.0.2.0/24', 'be a host: each address of a network is an entry'],
    ['192.168.1', 'be a host: an address has four decimal numbers'],
    ['bank.*', 'be a host such as'],
    ['2001:db8::7', 'accepted'],
    ['bank.example.', 'accepted'],
  ] as const) {
    test(entry, () => {
      assert.ok(problem(exempting(entry)).startsWith(expected), problem(exempting(entry)))
      const tenants = `[inspection]\ntenants = [{ hosts = [${JSON.stringify(entry)}], header = "X-A", value = "a" }]`
      assert.ok(problem(tenants).startsWith(expected))
    })
  }
})

function warnings(rules: string): readonly string[] {
  return warningsOf(load(rules), ['portal.example'], 0).map((line) => line.replace(/^line \d+: the rule "r" /, ''))
}

test('--check: networks, ports and the portal’s name', () => {
  const resolves = 'this matches hosts that are written as addresses, because the engine resolves no names'
  assert.deepEqual(warnings(matching('192.0.2.0/24')), [`names "192.0.2.0/24": ${resolves}`])
  assert.deepEqual(warnings(toml('match = ["*"]\nexcept = { match = ["2001:db8::/32"] }')), [
    `names "2001:db8::/32": ${resolves}`,
  ])
  assert.deepEqual(warnings(matching('a.example:8443/x')), ['names "a.example:8443/x": all ports are meant'])
  assert.deepEqual(warnings(matching('portal.example')), [
    'names "portal.example", which is the portal\'s name: it is always allowed',
  ])
  for (const entry of ['192.0.2.7', '2001:db8::7', '[2001:db8::7]', '*', '.portal.example', 'www.portal.example']) {
    assert.deepEqual(warnings(matching(entry)), [], entry)
  }
})

test('--check: pages for which Squid issues no certificate that browsers accept', () => {
  const why =
    'over https, browsers may accept no certificate that Squid issues for that, and visitors see an error instead of the page'
  const parent = (length: number) => `${'b'.repeat(50)}.${'c'.repeat(length - 59)}.example`
  for (const action of ['warn', 'aup']) {
    for (const entry of ['192.0.2.7', '2001:db8::7', '192.0.2.7/x', '[::1]:8443']) {
      assert.ok(warnings(toml(`match = ["${entry}"]`, action)).includes(`covers "${entry}", by address: ${why}`), entry)
    }
    assert.equal(warnings(toml('match = ["192.0.2.0/24"]', action)).length, 2)
    for (const entry of [`a.${parent(62)}`, `.${parent(62)}`, `*.${parent(62)}`]) {
      const [line] = warnings(toml(`match = ["${entry}"]`, action))
      assert.equal(line, `covers "${entry}", with 62 or more characters after the first label: ${why}`)
    }
    for (const entry of [`a.${parent(61)}`, parent(62), `.${parent(61)}`, '*', 'a.example']) {
      assert.deepEqual(warnings(toml(`match = ["${entry}"]`, action)), [], entry)
    }
  }
  for (const action of ['block', 'allow']) assert.deepEqual(warnings(toml('match = ["192.0.2.7"]', action)), [])
})

test('an exempt address that a network excepts is no reason for a warning', () => {
  const all = toml('match = ["*"]\nexcept = { match = ["192.0.2.0/24"] }', 'warn')
  assert.equal(warnings(`${all}[inspection]\nexempt = ["192.0.2.7"]`).length, 1)
  const [, second = ''] = warnings(`${all}[inspection]\nexempt = ["192.0.3.7"]`)
  assert.match(second, /^covers "192\.0\.3\.7", exempt from inspection/)
})

test('a name of the portal is compared in its canonical form', () => {
  const rules = policy(matching('192.0.2.7')).replace(/base_url = .*/, 'hostnames = ["::FFFF:192.0.2.7"]\n$&')
  assert.deepEqual(configure(rules).portal.names, ['portal.example', '192.0.2.7'])
})
