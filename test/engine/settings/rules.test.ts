// The rules of the file: what is read, and how each mistake is reported.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { openPolicyStore } from '../../../src/engine/policy/reload/policy-store.ts'
import { createRuledHosts } from '../../../src/engine/proxy-settings/ruled-hosts.ts'
import { SECRET } from '../../support/payloads.ts'
import { rule } from '../../support/rules.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { configure, loadSettings, NO_OPTIONS, policy, policyOf } from '../running-engine.ts'

/** Without the places. */
function problems(toml: string, files: Readonly<Record<string, string>> = {}): string[] {
  try {
    configure(toml, files)
    return []
  } catch (error) {
    const [, ...lines] = (error as Error).message.split('\n')
    return lines.map((line) => line.trim().replace(/^policy\.toml:\d+: /, ''))
  }
}

const pin = (codes: string) => rule('r', 'warn', 'match = ["*"]', `override = { type = "pin", ${codes} }`)
const STRIP = `[users]\nstrip = ['Ｓchool\\', "school/", "@school.example"]`
const HIDDEN = 'a value that is not shown'
/** Rules, lists and groups, each with the key and value of every problem. */
const MISTAKES: readonly (readonly [text: string, ...problems: string[]])[] = [
  [rule('default', 'block'), '.name "default"'],
  [rule('', 'block', 'match = ["*"]'), '.name ""'],
  ['[[rules]]\nmatch = ["*"]\naction = "block"', '.name unset'],
  [rule('r', 'deny'), '.action "deny"'],
  [rule('r', 'block', ''), ' a table'],
  [rule('r', 'block', 'match = []'), '.match a list'],
  [rule('r', 'block', 'match = "x.example"'), '.match a string'],
  [rule('r', 'block', 'match = ["https://x.example", "a*b"]'), '.match[1] "https://x.example"', '.match[2] "a*b"'],
  [
    rule('r', 'block', 'match = ["x.example/a?b", "x.example//a"]'),
    '.match[1] "x.example/a?…"',
    '.match[2] "x.example//a"',
  ],
  [rule('r', 'block', 'match = ["*.192.0.2.1", "[::1]/a"]'), '.match[1] "*.192.0.2.1"'],
  [rule('r', 'block', 'clients = ["10.0.0.0/33", "::ffff:10.0.0.0/104"]'), '.clients[1] "10.0.0.0/33"'],
  [rule('r', 'block', 'clients = ["10.0.0.1-10.0.0.9"]'), '.clients[1] "10.0.0.1-10.0.0.9"'],
  [`${rule('r', 'block', 'rooms = ["12", "13"]')}[rooms]\n12 = ["10.0.12.0/24"]`, '.rooms[2] "13"'],
  [
    `${rule('r', 'block', 'rooms = []')}[rooms]\n12 = ["10.0.12.0/33"]\n13 = []`,
    '.rooms a list',
    'rooms.12[1] "10.0.12.0/33"',
    'rooms.13 a list',
  ],
  [rule('r', 'block', 'users = [""]', 'groups = []'), '.users[1] ""', '.groups a list'],
  [
    rule('r', 'allow', 'when = { days = "monday", from = "24:00", to = "23:00" }'),
    '.when.days "monday"',
    '.when.from "24:00"',
  ],
  [
    rule('r', 'allow', 'when = { from = "07:00", to = "8:00", timezone = "Mars/Olympus" }'),
    '.when.to "8:00"',
    '.when.timezone "Mars/Olympus"',
  ],
  [rule('r', 'allow', 'when = { from = "08:00", to = "08:00" }'), '.when.to "08:00"'],
  [rule('r', 'allow', 'when = 7'), '.when 7'],
  [rule('r', 'allow', 'when = []'), '.when a list'],
  [
    rule('r', 'allow', 'when = [{ from = "8:00" }, "none", 7, { on = 2026-11-27T08:00:00 }]'),
    ...['.when[1].from "8:00"', '.when[3] 7', '.when[4].on 2026-11-27T08:00:00.000', '.when[2] "none"'],
  ],
  [
    rule('r', 'allow', 'when = { on = "2026-11-31", until = "27.11.2026", day = "mon" }'),
    ...['.when.on "2026-11-31"', '.when.until "27.11.2026"', '.when.day a string'],
  ],
  [rule('r', 'allow', 'when = { on = 2026-11-27, until = "2026-11-26" }'), '.when.until "2026-11-26"'],
  [`${rule('r', 'allow', 'when = "b"')}[schedules]\na = {}\n`, '.when "b"'],
  [
    '[schedules]\na = [{ to = "x" }]\nb = "a"\nc = ["a"]',
    'schedules.a[1].to "x"',
    'schedules.b "a"',
    'schedules.c[1] a string',
  ],
  [rule('r', 'allow', 'match = ["*"]', 'except = {}'), '.except a table'],
  [rule('r', 'allow', 'match = ["*"]', 'except = { matches = ["x"] }'), '.except a table', '.except.matches a list'],
  [rule('r', 'block', 'match = ["*"]', `description = "${'x'.repeat(1025)}"`), `.description "${'x'.repeat(100)}…"`],
  [rule('r', 'warn', 'match = ["*"]', 'descriptions = { German = "Nein" }'), '.descriptions.German "Nein"'],
  [
    rule('r', 'warn', 'match = ["*"]', 'descriptions = { de = 7 }', 'session_minutes = "60"'),
    '.descriptions.de 7',
    '.session_minutes "60"',
  ],
  [rule('r', 'block', 'match = ["*"]', 'override = { type = "pin", code = "1234" }'), '.override a table'],
  [rule('r', 'warn', 'match = ["*"]', 'locked = true'), '.locked true'],
  [rule('r', 'aup', 'match = ["*"]', 'locked = false'), '.locked false'],
  [rule('r', 'allow', 'match = ["*"]', 'locked = true', 'session_minutes = 0'), '.locked true', '.session_minutes 0'],
  [rule('r', 'block', 'match = ["*"]', 'locked = "yes"'), '.locked "yes"'],
  [rule('r', 'block', 'match = ["*"]', 'except = { locked = true }'), '.except a table', '.except.locked a boolean'],
  [pin('code = "1234"').replace('override', 'acknowledge = false\noverride'), '.acknowledge false'],
  [pin('code = "1234"').replace('pin', 'password'), '.override.type "password"'],
  [pin('length = 6')],
  [pin('length = 3'), '.override.length 3'],
  [pin('length = 13'), '.override.length 13'],
  [pin('code = "1234", length = 6'), '.override.length 6'],
  [pin('codes = [{ code = "123456" }], length = 6')],
  [pin('code = "correct horse", length = 8').replace('"pin"', '"passphrase"')],
  [rule('r', 'block', 'switch = ""'), '.switch ""'],
  [rule('r', 'block', 'match = ["*"]', 'except = { switch = "x" }'), '.except a table', '.except.switch a string'],
  [pin('attempts = 0'), '.override.attempts 0', '.override.code unset'],
  [
    pin(`code = "12z4", prompt = "${'x'.repeat(81)}"`),
    `.override.code ${HIDDEN}`,
    `.override.prompt "${'x'.repeat(81)}"`,
  ],
  [pin('code = 1234'), `.override.code ${HIDDEN}`],
  [pin('code = "1234", codes = [{ code = "5678" }]')],
  [
    pin('code = "1234", codes = [{ code = "12345" }, { code = "1234" }]'),
    `.override.codes[1].code ${HIDDEN}`,
    `.override.codes[2].code ${HIDDEN}`,
  ],
  [pin('codes = [{ code = "4321", expires = "tomorrow" }]'), '.override.codes[1].expires "tomorrow"'],
  [
    pin('codes = [{ code = "12", until = 7 }]'),
    `.override.codes[1].code ${HIDDEN}`,
    '.override.codes[1].until a number',
  ],
  ['[[lists]]\nname = "x"', 'lists[1].path unset'],
  ['[[lists]]\nname = "x"\npath = "x.txt"\nformat = "csv"', 'lists[1].format "csv"'],
  ['[[lists]]\nname = "x"\npath = "x"\n'.repeat(2), 'lists[2].name "x"'],
  ['[[lists]]\nname = "x"\narchive = "x.tar.gz"', 'lists[1].member unset'],
  ['[[lists]]\nname = "x"\npath = "x"\nmember = "adult"', 'lists[1].member "adult"'],
  ['[[lists]]\nname = "x"\nurls = "x"\narchive = "x.tar.gz"\nmember = "adult"', 'lists[1].path unset'],
  [
    rule('r', 'block', 'users = ["alice", "@School.Example", "-"]') + STRIP,
    '.users[2] "…@School.Example"',
    '.users[3] "-"',
  ],
  [rule('r', 'block', 'match = ["*"]', "except = { users = ['school\\'] }") + STRIP, '.except.users[1] "school\\\\"'],
  [`[groups]\nnone = { users = ["SCHOOL／"] }\n${STRIP}`, 'groups.none.users[1] "SCHOOL／"'],
  ['[users]\nstrip = ["SCHOOL", "a@b"]', 'users.strip[1] "SCHOOL"', 'users.strip[2] "…@b"'],
  ['[users]\nstrip = ["school.example", "/"]', 'users.strip[1] "school.example"', 'users.strip[2] "/"'],
  ['[groups]\nempty = {}\nodd = { users = "anna" }', 'groups.empty a table', 'groups.odd.users a string'],
]

test('every mistake in a rule, a list or a group is reported, without a code', () => {
  for (const [text, ...expected] of MISTAKES) {
    const found = problems(policy(text)).map((line) => line.replace(/ must .*; it is now/, ''))
    const named = expected.map((one) => (/^[. ]/.test(one) ? `rules[1]${one}` : one))
    assert.deepEqual(found.toSorted(), named.toSorted(), text)
    assert.doesNotMatch(found.join(), /1234|4321|12z4/)
  }
})

test('a problem has its line, also of two rules with one name', () => {
  const toml = policy(rule('one', 'block') + rule('one', 'warn', 'match = ["a*b"]'))
  const lineOf = (key: string) => toml.slice(0, toml.lastIndexOf(key)).split('\n').length
  for (const problem of [
    `policy\\.toml:${lineOf('name')}: rules\\[2\\]\\.name must differ from rules\\[1\\]\\.name`,
    `policy\\.toml:${lineOf('match')}: rules\\[2\\]\\.match\\[1\\] must `,
  ]) {
    assert.throws(() => configure(toml), new RegExp(problem))
  }
})

test('what a rule names must exist, and the files of groups and holidays are checked', () => {
  const rules = `[[rules]]
name = "r"
lists = ["missing"]
when = [{ from = "08:00" }, { not_on = "holidays.txt" }]
except = { groups = ["nobody", "staff"], lists = ["gone"] }
action = "block"
[groups]
staff = { file = "staff.txt" }
empty = { file = "empty.txt" }`
  const found = problems(policy(rules), {
    'holidays.txt': '2026-12-25\nChristmas\n25.12.2026\n',
    'staff.txt': `smith\nx\u0007y\n${'x'.repeat(257)}\n`,
    'empty.txt': '# nobody\n',
  })
  assert.deepEqual(found.toSorted(), [
    'groups.empty.file must name a file with at least one user; it is now "empty.txt"',
    'groups.staff.file must name a file with one user per line (line 2, line 3); it is now "staff.txt"',
    'rules[1].except.groups[1] must name one of [groups]; it is now "nobody"',
    'rules[1].except.lists[1] must name one of [[lists]]; it is now "gone"',
    'rules[1].lists[1] must name one of [[lists]]; it is now "missing"',
    'rules[1].when[2].not_on must name a file with one date (2026-12-25) or period (2026-12-24/2027-01-03) per line (line 2, line 3); it is now "holidays.txt"',
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
