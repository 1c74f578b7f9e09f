// The rules of the file: what is read, and how each mistake is reported.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { warningsOf } from '../../../src/engine/policy/explain/warnings.ts'
import { openPolicyStore } from '../../../src/engine/policy/reload/policy-store.ts'
import { createRuledHosts } from '../../../src/engine/proxy-settings/ruled-hosts.ts'
import { SECRET } from '../../support/payloads.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { API_TOKEN, configure, loadSettings, NO_OPTIONS, policy, policyOf } from '../running-engine.ts'

function problems(toml: string, files: Readonly<Record<string, string>> = {}): string[] {
  try {
    configure(toml, files)
    return []
  } catch (error) {
    return (error as Error).message
      .split('\n')
      .slice(1)
      .map((line) => line.trim())
  }
}

test('every mistake in a rule, a list or a group is reported with its line', () => {
  const toml = `default = "deny"
captive_portal = { secret = "${SECRET}", base_url = "https://portal.example" }
[control]
api_token = "${API_TOKEN}"
[certificates]
folder = "unused"
[[rules]]
name = "default"
action = "block"
[[rules]]
name = "two"
match = ["x.example/a?b", "*.192.0.2.1", "x.example//a", "[::1]/a"]
lists = ["missing"]
clients = ["10.0.0.0/33", "10.0.0.1-10.0.0.9", "::ffff:10.0.0.0/104"]
users = [""]
groups = []
action = "block"
[[rules]]
name = "three"
when = { days = "monday", from = "24:00", to = "8:00", timezone = "Mars/Olympus", not_on = "nowhere.txt" }
except = { matches = ["x.example"] }
action = "allow"
[[rules]]
name = "four"
when = { from = "08:00", to = "08:00" }
descriptions = { German = "Nein", de = 7 }
action = "warn"
[rules.override]
type = "pin"
code = "1234"
codes = [{ code = "12345" }, { code = "1234" }, { code = "4321", expires = "tomorrow" }, { code = "12", until = 7 }]
[[rules]]
name = "five"
match = ["*"]
except = {}
action = "warn"
override = { type = "passphrase" }
[[lists]]
name = "list"
[[lists]]
name = "list"
path = "list.txt"
format = "csv"
[groups]
empty = {}
odd = { users = "anna" }
[inspection]
exempt = ["bank.example/path"]
`
  const found = problems(toml).map((line) => line.replace(/ must .*; it is now/, ' …'))
  const lineOf = (start: string) => toml.split('\n').findIndex((line) => line.startsWith(start)) + 1
  const at = (number: number, thing: string) => `policy.toml:${number}: ${thing}`
  const expected = [
    at(1, 'default … "deny"'),
    at(8, 'rules[1].name … "default"'),
    at(7, 'rules[1] … a table'),
    at(12, 'rules[2].match[1] … "x.example/a?…"'),
    at(12, 'rules[2].match[2] … "*.192.0.2.1"'),
    at(12, 'rules[2].match[3] … "x.example//a"'),
    at(13, 'rules[2].lists[1] … "missing"'),
    at(14, 'rules[2].clients[1] … "10.0.0.0/33"'),
    at(14, 'rules[2].clients[2] … "10.0.0.1-10.0.0.9"'),
    at(15, 'rules[2].users[1] … ""'),
    at(16, 'rules[2].groups … a list'),
    at(20, 'rules[3].when.days … "monday"'),
    at(20, 'rules[3].when.from … "24:00"'),
    at(20, 'rules[3].when.to … "8:00"'),
    at(20, 'rules[3].when.timezone … "Mars/Olympus"'),
    at(21, 'rules[3].except … a table'),
    at(21, 'rules[3].except.matches … a list'),
    at(25, 'rules[4].when.to … "08:00"'),
    at(26, 'rules[4].descriptions.German … "Nein"'),
    at(26, 'rules[4].descriptions.de … 7'),
    at(28, 'rules[4].override.codes[1].code … a value that is not shown'),
    at(28, 'rules[4].override.codes[2].code … a value that is not shown'),
    at(28, 'rules[4].override.codes[3].expires … "tomorrow"'),
    at(28, 'rules[4].override.codes[4].code … a value that is not shown'),
    at(28, 'rules[4].override.codes[4].until … a number'),
    at(35, 'rules[5].except … a table'),
    at(37, 'rules[5].override.code … unset'),
    at(38, 'lists[1].path … unset'),
    at(41, 'lists[2].name … "list"'),
    at(43, 'lists[2].format … "csv"'),
    at(45, 'groups.empty … a table'),
    at(46, 'groups.odd.users … a string'),
    at(lineOf('exempt'), 'inspection.exempt[1] … "bank.example/path"'),
  ]
  assert.deepEqual(found.toSorted(), expected.toSorted())
  assert.doesNotMatch(problems(toml).join(), /1234|4321/)
})

test('codes of one rule have one length and differ', () => {
  const rule = (codes: string) =>
    policy(
      `[[rules]]\nname = "r"\nmatch = ["*"]\naction = "warn"\noverride = { type = "pin", code = "1234", codes = [${codes}] }`,
    )
  const told = (codes: string) => problems(rule(codes)).map((line) => line.replace(/^.*?: /, ''))
  assert.deepEqual(told('{ code = "5678" }'), [])
  assert.deepEqual(told('{ code = "56789" }, { code = "1234" }'), [
    'rules[1].override.codes[1].code must have as many digits as the other codes of the rule; it is now a value that is not shown',
    'rules[1].override.codes[2].code must differ from the other codes of the rule; it is now a value that is not shown',
  ])
})

test('what a rule names must exist, and the files of groups and holidays are checked', () => {
  const rules = `[[rules]]
name = "r"
lists = ["missing"]
when = { not_on = "holidays.txt" }
except = { groups = ["nobody", "staff"], lists = ["gone"] }
action = "block"
[groups]
staff = { file = "staff.txt" }
empty = { file = "empty.txt" }`
  const found = problems(policy(rules), {
    'holidays.txt': '2026-12-25\nChristmas\n25.12.2026\n',
    'staff.txt': `smith\nx\u0007y\n${'x'.repeat(257)}\n`,
    'empty.txt': '# nobody\n',
  }).map((line) => line.replace(/^policy\.toml:\d+: /, ''))
  assert.deepEqual(found.toSorted(), [
    'groups.empty.file must name a file with at least one user; it is now "empty.txt"',
    'groups.staff.file must name a file with one user per line (line 2, line 3); it is now "staff.txt"',
    'rules[1].except.groups[1] must name one of [groups]; it is now "nobody"',
    'rules[1].except.lists[1] must name one of [[lists]]; it is now "gone"',
    'rules[1].lists[1] must name one of [[lists]]; it is now "missing"',
    'rules[1].when.not_on must name a file with one date (2026-12-25) or period (2026-12-24/2027-01-03) per line (line 2, line 3); it is now "holidays.txt"',
  ])
})

test('users.strip is removed from every name in the policy and in the files of groups', () => {
  const rules = `[[rules]]
name = "r"
users = ['SCHOOL\\Alice', "bob@other.example"]
except = { users = ["carol@school.example"] }
action = "block"
[groups]
staff = { users = ["ｄａｖｅ@school.example"], file = "staff.txt" }
[users]
strip = ["School\\\\", "@school.example"]`
  const { policy: read } = configure(policy(rules), { 'staff.txt': 'SCHOOL\\erin\nErin\n' })
  assert.deepEqual(read.rules[0]?.users, new Set(['alice', 'bob@other.example']))
  assert.deepEqual(read.rules[0]?.except?.users, new Set(['carol']))
  assert.deepEqual(read.groups[0]?.users, new Set(['dave', 'erin']))
})

test('a name that stands for nobody, and an entry that is no domain or realm, are reported', () => {
  const told = (strip: string) => {
    const rules = `[[rules]]
name = "r"
users = ["alice", "@School.Example", "-"]
except = { users = ['school\\'] }
action = "block"
[groups]
none = { users = ["SCHOOL／"] }
staff = { file = "staff.txt" }
[users]
strip = ${strip}`
    const files = { 'staff.txt': 'erin\nSCHOOL\\\n@school.example\n\u200b\n(null)\n' }
    return problems(policy(rules), files).map((line) => line.replace(/^policy\.toml:\d+: /, ''))
  }
  const rule =
    'must be a user name of 1 to 256 bytes without control characters, and not one that stands for nobody, such as "-"'
  assert.deepEqual(told(`['Ｓchool\\', "school/", "@school.example"]`), [
    `rules[1].users[2] ${rule}; it is now "…@School.Example"`,
    `rules[1].users[3] ${rule}; it is now "-"`,
    `rules[1].except.users[1] ${rule}; it is now "school\\\\"`,
    `groups.none.users[1] ${rule}; it is now "SCHOOL／"`,
    'groups.staff.file must name a file with one user per line (line 2, line 3, line 4, line 5); it is now "staff.txt"',
  ])
  const affix =
    'must be a domain with its separator ("SCHOOL\\\\", "SCHOOL/"), or a realm with its @ ("@school.example")'
  assert.deepEqual(told('["SCHOOL", "school.example", "a@b", "/", "@"]').slice(0, 5), [
    `users.strip[1] ${affix}; it is now "SCHOOL"`,
    `users.strip[2] ${affix}; it is now "school.example"`,
    `users.strip[3] ${affix}; it is now "…@b"`,
    `users.strip[4] ${affix}; it is now "/"`,
    `users.strip[5] ${affix}; it is now "…@"`,
  ])
})

test('paths are relative to the folder of the policy', () => {
  const read: string[] = []
  const toml = policy(
    '[[lists]]\nname = "a"\npath = "lists/a.txt"\n[groups]\ng = { file = "/srv/g.txt" }\nh = { file = "h.txt" }',
  )
  const { policy: loaded } = loadSettings({ ...NO_OPTIONS, config: '/etc/gateway/policy.toml' }, (path) => {
    read.push(path)
    return Buffer.from(path.endsWith('.toml') ? toml : 'anna\n')
  })
  assert.deepEqual(read, ['/etc/gateway/policy.toml', '/srv/g.txt', '/etc/gateway/h.txt'])
  assert.equal(loaded.lists[0]?.path, '/etc/gateway/lists/a.txt')
})

const AT = Date.parse('2027-02-01T00:00Z')

test('warns of rules on hosts exempt from inspection, of expired codes, and of what no rule names', () => {
  const { policy: loaded } = configure(
    policy(`[[rules]]
name = "warn-all"
match = ["*"]
action = "warn"
[[rules]]
name = "excepted"
match = ["*"]
except = { match = [".bank.example", ".apps.example"] }
action = "aup"
[[rules]]
name = "path"
match = ["www.bank.example/login", "other.example/x"]
action = "block"
[[rules]]
name = "listed"
lists = ["used"]
action = "aup"
[[rules]]
name = "whole-host"
match = [".bank.example"]
action = "block"
[[rules]]
name = "codes"
match = ["other.example"]
action = "warn"
override = { type = "pin", codes = [{ code = "1234", expires = 2027-01-31 }, { code = "1235", expires = 2027-02-28 }] }
[[rules]]
name = "all-codes"
match = ["other.example"]
action = "warn"
override = { type = "pin", codes = [{ code = "1234", expires = 2027-01-30 }] }
[[lists]]
name = "used"
path = "used.txt"
[[lists]]
name = "spare"
path = "spare.txt"
[groups]
nobody = { users = ["x"] }
[inspection]
exempt = [".bank.example", ".apps.example"]`),
    {},
    { used: ['apps.example'] },
  )
  assert.deepEqual(
    warningsOf(loaded, ['portal.example'], AT).map((line) => line.replace(/^line \d+: /, '')),
    [
      'the rule "warn-all" covers ".bank.example", ".apps.example", exempt from inspection: over https no visitor sees a warning',
      'the rule "path" names a path on ".bank.example", exempt from inspection: over https no path is seen',
      'the rule "listed" covers ".apps.example", exempt from inspection: over https no visitor sees the policy to accept',
      'the rule "codes" has 1 code that has expired',
      'the rule "all-codes" cannot be acknowledged: all its codes have expired',
      'lists: no rule names "spare"',
      'groups: no rule names "nobody"',
    ],
  )
})

test('the policy that a school could start from has no problem and no warning', async (t) => {
  const config = fileURLToPath(new URL('../../../deploy/engine/policy.toml', import.meta.url))
  const folder = temporaryFolder(t)
  const secret = join(folder, 'secret')
  writeFileSync(secret, SECRET)
  const store = await openPolicyStore({
    ...policyOf({ ...NO_OPTIONS, config, publish: folder, secretFile: secret, apiTokenFile: secret }),
    log: pino({ enabled: false }),
    clock: () => Date.parse('2026-11-22T12:00Z'),
  })
  t.after(() => store.close())
  assert.deepEqual(store.last, { result: 'loaded', problems: [], warnings: [] })
  const { rules, groups } = store.current
  assert.deepEqual(new Set(rules.map(({ action }) => action)), new Set(['allow', 'block', 'warn', 'aup']))
  assert.deepEqual(
    groups.map(({ name }) => name),
    ['students', 'staff'],
  )
  for (const key of ['match', 'lists', 'clients', 'groups', 'when', 'except', 'descriptions'] as const) {
    assert.ok(
      rules.some((rule) => rule[key] !== undefined),
      key,
    )
  }
  // Otherwise the proxy would ask about each request for any host.
  const ruledHosts = createRuledHosts(store, { allowed: false })
  assert.deepEqual(
    [ruledHosts.every, ruledHosts.find('news.example'), ruledHosts.find('192.0.2.1')],
    Array(3).fill(undefined),
  )
  assert.match(readFileSync(config, 'utf8'), /^# A policy that a school could start from\./)
})
