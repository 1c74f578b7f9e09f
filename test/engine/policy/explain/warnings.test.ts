// Warnings: what has no effect, as a rule over https on a host that is exempt from inspection.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { warningsOf } from '../../../../src/engine/policy/explain/warnings.ts'
import { rule } from '../../../support/rules.ts'
import { configure, policy } from '../../running-engine.ts'

function warnings(toml: string, topLevel = ''): readonly string[] {
  const listed = ['signal.org', 'google.com', 'intune.example']
  const text = policy(toml, topLevel)
  const names = Object.fromEntries(configure(text).policy.lists.map(({ name }) => [name, listed]))
  return warningsOf(configure(text, {}, names).policy, ['portal.example'], Date.parse('2027-02-01T00:00Z')).map(
    (line) => line.replace(/^line \d+: /, ''),
  )
}

test('rules about everything or about hosts above them are no reason to warn of the hosts that we ship', () => {
  const everything = [
    rule('night', 'aup', 'when = { from = "22:00", to = "06:00" }'),
    rule('clients', 'aup', 'clients = ["10.0.0.0/8"]'),
    rule('path', 'block', 'match = ["*/ads"]'),
    rule('vendor', 'warn', 'match = [".apple.com", ".google.com/x", ".com"]'),
    rule('all', 'warn', 'match = ["*"]'),
  ]
  assert.deepEqual(warnings(everything.join('')), [])
})

test('rules that name them are', () => {
  const toml = [
    rule('itself', 'warn', 'match = ["mesu.apple.com"]'),
    rule('below', 'aup', 'match = ["updates.signal.org", "www.example.org"]'),
    rule('path', 'block', 'match = ["mesu.apple.com/assets"]'),
    rule('listed', 'warn', 'lists = ["chat"]'),
    rule('both', 'warn', 'match = ["*"]\nlists = ["chat"]'),
    rule('excepted', 'warn', 'match = ["mesu.apple.com"]\nexcept = { match = [".apple.com"] }'),
    rule('block', 'block', 'match = ["mesu.apple.com"]'),
    '[[lists]]\nname = "chat"\npath = "chat.txt"\n',
  ].join('')
  const expected = [
    'the rule "itself" covers "mesu.apple.com", exempt from inspection: over https no visitor sees a warning',
    'the rule "below" covers ".signal.org", exempt from inspection: over https no visitor sees the policy to accept',
    'the rule "path" names a path on "mesu.apple.com", exempt from inspection: over https no path is seen',
    'the rule "listed" covers ".signal.org", exempt from inspection: over https no visitor sees a warning',
  ]
  assert.deepEqual(warnings(toml), expected)
  assert.deepEqual(warnings(`${toml}[inspection]\nexempt_defaults = false`), [])
})

test('rules for clients that are exempt as a whole', () => {
  const toml = [
    rule('all', 'warn', 'match = ["a.example"]'),
    rule('within', 'warn', 'clients = ["10.1.0.0/16", "10.2.3.4", "192.0.2.0/24"]'),
    rule('wider', 'aup', 'clients = ["10.0.0.0/8", "2001:db8::/32"]'),
    rule('path', 'block', 'clients = ["2001:db8:1:2::/64"]\nmatch = ["a.example/x"]'),
    rule('block', 'block', 'clients = ["10.1.2.3"]'),
    '[inspection]\nexempt_clients = ["10.1.0.0/16", "10.2.3.0/24", "2001:db8:1::/48"]',
  ].join('')
  assert.deepEqual(warnings(toml), [
    'the rule "within" names "10.1.0.0/16", "10.2.3.4", exempt from inspection: over https they do not see a warning',
    'the rule "path" names a path for "2001:db8:1:2::/64", exempt from inspection: over https no path is seen',
  ])
})

test('with default = "block", exempt hosts that no rule is about; not those that we ship', () => {
  const toml = [
    rule('bank', 'allow', 'match = ["www.bank.example"]'),
    rule('clinic', 'block', 'match = ["clinic.example"]'),
    '[inspection]\nexempt = [".bank.example", "clinic.example", "one.example", ".two.example"]',
  ].join('')
  assert.deepEqual(warnings(toml), [])
  assert.deepEqual(warnings(toml, 'default = "block"'), [
    'inspection.exempt: no rule is about "one.example", ".two.example", so the default blocks it: over https without a page',
  ])
})

test('headers and restrictions on hosts that are not decrypted', () => {
  const inspection = `[inspection]
youtube = "moderate"
tenants = [
  { hosts = [".login.example", "sso.example"], header = "X-Tenant", value = "a" },
  { hosts = [".google.com"], header = "X-GoogApps-Allowed-Domains", value = "a.example" },
  { hosts = ["clients6.google.com"], header = "X-Other", value = "a" },
]`
  const other =
    'inspection.tenants[3]: "clients6.google.com" is exempt from inspection: over https X-Other is not added'
  assert.deepEqual(warnings(inspection), [other])
  assert.deepEqual(warnings(`${inspection}\nexempt = ["a.login.example", ".googleapis.com"]`), [
    'inspection.tenants[1]: "a.login.example" is exempt from inspection: over https X-Tenant is not added',
    other,
    'inspection.youtube: ".googleapis.com" is exempt from inspection: over https nothing is restricted',
  ])
})

test('codes that have expired, and what no rule names', () => {
  const codes = (...all: string[]) =>
    all.map((expires, index) => `{ code = "123${index}", expires = ${expires} }`).join()
  const pin = (text: string) => `override = { type = "pin", codes = [${text}] }`
  const toml = [
    rule('codes', 'warn', 'match = ["other.example"]', pin(codes('2027-01-31', '2027-02-28'))),
    rule('all-codes', 'warn', 'match = ["other.example"]', pin(codes('2027-01-30'))),
    rule('listed', 'block', 'lists = ["used"]'),
    '[[lists]]\nname = "used"\npath = "used.txt"\n[[lists]]\nname = "spare"\npath = "spare.txt"\n',
    '[groups]\nnobody = { users = ["x"] }\n',
  ]
  assert.deepEqual(warnings(toml.join('')), [
    'the rule "codes" has 1 code that has expired',
    'the rule "all-codes" cannot be acknowledged without a lesson code: all its codes have expired',
    'lists: no rule names "spare"',
    'groups: no rule names "nobody"',
  ])
})

test('rules below one that decides every request', () => {
  const below = [rule('adult', 'block', 'match = ["adult.example"]'), rule('exam', 'block', 'switch = "exam"')].join('')
  const reached = (keys: readonly string[]) => warnings(`${rule('all', 'aup', ...keys)}${below}`)
  const never = (name: string, line: number, by: string) =>
    `the rule "${name}" never decides: line ${line}, the rule "${by}", decides every request before it`
  for (const pattern of ['"*"', '"a.example", "*"', '"*/"', '"*/x", "*"']) {
    const found = reached([`match = [${pattern}]`])
    assert.deepEqual(
      found.map((one) => one.replace(/line \d+/, 'line 1')),
      [never('adult', 1, 'all'), never('exam', 1, 'all')],
    )
  }
  for (const keys of [
    ['match = ["*"]', 'except = { match = ["a.example"] }'],
    ['match = ["*"]', 'except = { groups = ["staff"] }', '[groups]\nstaff = { users = ["x"] }'],
    ['match = ["*"]', 'lists = ["chat"]', '[[lists]]\nname = "chat"\npath = "chat.txt"'],
    ['match = ["*"]', 'switch = "open"'],
    ['match = ["*"]', 'when = { days = "sat,sun" }'],
    ['match = ["*"]', 'clients = ["10.0.0.0/8"]'],
    ['match = ["*"]', 'users = ["anna"]'],
    ['match = ["*/x", "*.example", "0.0.0.0/0"]'],
    ['clients = ["10.0.0.0/8"]'],
  ]) {
    assert.ok(!reached(keys).some((line) => line.includes('never decides')), keys.join())
  }
})

test('locked rules are reached above one that decides every request; a locked one about every request is reached alone', () => {
  const locked = rule('anonymizers', 'block', 'match = ["vpn.example"]', 'locked = true')
  const all = (action: string, ...keys: string[]) => rule(`all-${action}`, action, 'match = ["*"]', ...keys)
  assert.deepEqual(warnings(`${all('allow')}${locked}`), [])
  const found = warnings(`${all('warn')}${rule('a', 'allow')}${all('block', 'locked = true')}`)
  assert.deepEqual(
    found.map((line) => line.replace(/ never decides: line \d+/, '')),
    ['all-warn', 'a'].map((name) => `the rule "${name}", the rule "all-block", decides every request before it`),
  )
})
