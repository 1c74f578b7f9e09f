// `import squidguard`: what becomes of each part of a configuration, and what is named. checks/import compares the verdicts with
// those of squidGuard.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parse } from 'smol-toml'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { ended, gatewayctl, startGatewayctl } from '../gatewayctl.ts'
import { loadPolicy, verdictOf } from './imported-policy.ts'

const SCHOOL = readFileSync(join(import.meta.dirname, 'school.conf'), 'utf8')
const LISTS = { 'adult/domains': 'adult.test\n', 'adult/urls': 'mixed.test/adult\n', 'good/domains': 'school.test\n' }

/** Writes a configuration, in which DBHOME is the folder with these files. @returns its path, and the folder of both */
function written(t: TestContext, configuration: string | Uint8Array, files: Readonly<Record<string, string>> = LISTS) {
  const folder = temporaryFolder(t)
  const dbhome = join(folder, 'db')
  mkdirSync(dbhome)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dbhome, name)), { recursive: true })
    writeFileSync(join(dbhome, name), content)
  }
  const file = join(folder, 'squidGuard.conf')
  const text = typeof configuration === 'string' ? configuration.replaceAll('DBHOME', dbhome) : configuration
  writeFileSync(file, text)
  return { file, folder, dbhome }
}

async function imported(t: TestContext, configuration: string, files?: Readonly<Record<string, string>>) {
  const { file, folder } = written(t, `dbhome DBHOME\n${configuration}`, files)
  const output = join(folder, 'imported')
  const clock = () => Date.UTC(2026, 10, 27)
  const { status, stderr } = await gatewayctl(['import', 'squidguard', file, '--output', output], { clock })
  assert.equal(status, 0, stderr)
  const config = join(output, 'policy.toml')
  const table = tableOf(readFileSync(config, 'utf8'))
  return { table, notes: stderr, policy: await loadPolicy(t, config), output }
}

interface Table {
  readonly default: string
  readonly rules?: readonly Record<string, unknown>[]
  readonly groups?: Readonly<Record<string, { readonly users: readonly string[] }>>
  readonly lists?: readonly Record<string, unknown>[]
  readonly schedules?: object
  readonly inspection?: object
}

/** With plain objects. */
function tableOf(text: string): Table {
  return JSON.parse(JSON.stringify(parse(text)))
}

test('a school’s configuration becomes rules in order, with what was dropped named by line', async (t) => {
  const { file, folder } = written(t, SCHOOL)
  const output = join(folder, 'imported')
  const { status, stdout, stderr } = await gatewayctl(['import', 'squidguard', file, '--output', output])
  assert.equal(status, 0, stderr)
  assert.equal(stdout, `${output}/policy.toml: rules: 6, lists: 2, groups: 0; notes: 3\n`)
  const notes = [
    'line 3: logdir: not imported',
    'lines 9, 44: rewrite: addresses are not rewritten. For strict search results, set safesearch in [inspection]',
    'lines 24, 45: redirect: the portal shows its own pages',
  ]
  assert.equal(stderr, notes.map((note) => `${note}\n`).join(''))
  const text = readFileSync(join(output, 'policy.toml'), 'utf8')
  for (const note of notes) assert.ok(text.includes(`#   ${note}\n`), note)
  const { default: verdict, rules = [], lists } = tableOf(text)
  assert.equal(verdict, 'block')
  assert.deepEqual(
    rules.map(({ name, action }) => `${action} ${name}`),
    [
      ...['allow students-good', 'block students-in-addr', 'block students-adult', 'allow students-all'],
      ...['allow staff-all', 'allow good'],
    ],
  )
  const students = { clients: ['10.1.0.0/16'] }
  assert.deepEqual(rules.slice(1, 3), [
    { name: 'students-in-addr', ...students, match: ['0.0.0.0/0', '::/0'], action: 'block' },
    { name: 'students-adult', category: 'adult', ...students, lists: ['adult'], action: 'block' },
  ])
  assert.deepEqual(lists, [
    { name: 'adult', path: 'lists/adult.txt', urls: 'lists/adult-urls.txt' },
    { name: 'good', path: 'lists/good.txt' },
  ])
  assert.deepEqual(readdirSync(join(output, 'lists')).toSorted(), ['adult-urls.txt', 'adult.txt', 'good.txt'])
  assert.equal(statSync(output).mode & 0o777, 0o750)
})

const DEFAULT = 'acl {\n default {\n pass all\n redirect http://r/\n }\n}'

/** Parts that the policy has nothing for, or decides otherwise, and what is named; `acl default` follows each. */
const NAMED: readonly (readonly [string, RegExp])[] = [
  ['logdir /var/log/squidguard', /^line 2: logdir: not imported$/m],
  ['time t {\n weekly mtw 22:00-06:00\n}', /^line 3: weekly mtw 22:00-06:00: ends before it begins: squidGuard never/m],
  [
    'time t {\n weekly xyz 08:00-09:00\n weekly mon\n}',
    /^line 3: .* is not understood\nline 4: weekly mon: has no times$/m,
  ],
  [
    'time t {\n date *.12.24 12:00-24:00 # eve\n date 2006.04.31\n}',
    /^line 3: date \*\.12\.24 12:00-24:00: imported until .*\nline 4: date 2006\.04\.31: has a date that does not exist$/m,
  ],
  [
    'src s {\n ip 10.0.0.256 10.0.0.9-10.0.0.1\n}',
    /^line 3: ip 10\.0\.0\.256: no client.*\nline 3: ip 10\.0\.0\.9-10\.0\.0\.1: no/m,
  ],
  [
    'src s {\n ip 10.0.0.7/255.255.255.0 10.0.0.0/255.0.255.0 10.0.0.0/33\n}',
    /^line 3: ip 10\.0\.0\.7\/255\.255\.255\.0: (.*\n){2}line 3: ip 10\.0\.0\.0\/33/m,
  ],
  [
    'src s {\n ldapusersearch ldap://x/dc=a?uid?sub?(&(a=b)(uid=%s)) # }\n}',
    /^line 3: ldapusersearch: gateway-groups reads/m,
  ],
  ['src s {\n execuserlist sed "s/:.*$//" /etc/passwd }\n}', /^line 3: execuserlist: write the users into \[groups\]/m],
  [
    'src s {\n ip 10.0.0.1\n domain foo.test\n userquota 60 10 hourly\n log x\n}',
    /^line 2: s: matches nobody.*\nline 4: domain: (.*\n)line 5: userquota 60 10 hourly: (.*\n)line 6: log: /m,
  ],
  ['src s {\n user -\n}', /^line 2: user -: not a name of the policy\nline 2: s: matches nobody/m],
  ['src s {\n ip 10.0.0.1\n}\nsrc s {\n ip 10.0.0.2\n}', /^line 5: source s: line 2 defines it already$/m],
  [
    'acl {\n nobody within never {\n pass none\n }\n}',
    /^line 3: nobody: there is no such source; squidGuard would pass everything$/m,
  ],
  ['src s {\n ip 10.0.0.1\n}\nacl {\n s within never {\n pass none\n }\n}', /^line 6: never: there is no such time/m],
  ['acl {\n default {\n pass !nothing dnsbl:black.test none\n }\n}', /^line 4: nothing: there is no such destination/m],
  ['dest d {\n domainlist adult/domains\n}', /^line 2: d: no acl names it$/m],
  ['firewall {\n pass {\n }\n}\ncpus 2 # two', /^line 2: firewall: not imported\nline 6: cpus: not imported$/m],
]

test('what the policy has nothing for is named, with its line', async (t) => {
  for (const [part, expected] of NAMED) {
    const isDefault = part.includes('default')
    const { notes } = await imported(t, isDefault ? part : `${part}\n${DEFAULT}`)
    assert.match(notes, isDefault && part.includes('dnsbl') ? /./ : expected, part)
    if (isDefault) assert.match(notes, expected)
  }
})

test('an acl without redirect, for which squidGuard passes everything, blocks, and is named', async (t) => {
  const part = 'dest bad {\n domainlist adult/domains\n}\nacl {\n default {\n pass !bad all\n }\n}'
  const { policy, notes } = await imported(t, part)
  assert.match(notes, /^line 6: default: without redirect, squidGuard passes what it blocks; the policy blocks it$/m)
  assert.equal(verdictOf(policy, { url: 'http://adult.test/', client: '10.0.0.1' }, '2026-11-27T08:00'), 'block')
})

test('an acl that ends without pass has that of the default, which blocks without one', async (t) => {
  const acls = (content: string) =>
    `src s {\n ip 10.0.0.1\n}\nacl {\n s {\n }\n default {\n${content}\n redirect http://r/\n }\n}`
  for (const [pass, verdict] of [
    ['', 'block'],
    [' pass', 'block'],
    [' pass none', 'block'],
    [' pass all', 'pass'],
  ] as const) {
    const { policy } = await imported(t, acls(pass))
    const found = ['10.0.0.1', '10.0.0.2'].map((client) =>
      verdictOf(policy, { url: 'http://a.test/', client }, '2026-11-27T08:00'),
    )
    assert.deepEqual(found, [verdict, verdict], pass)
  }
})

test('without an acl for everyone, what no rule matches is blocked', async (t) => {
  const { table, notes } = await imported(
    t,
    'src s {\n ip 10.0.0.1\n}\nacl {\n s {\n pass all\n redirect http://r/\n }\n}',
  )
  assert.equal(table.default, 'block')
  assert.match(notes, /^line 1: there is no acl default; squidGuard would pass everything\. Here, the default blocks$/m)
})

test('users of a source are a group: from the configuration, and from files of names or of accounts', async (t) => {
  const files = {
    names: '# staff\nAnna, ben\r\ncarla # temporary\n',
    accounts: 'dora:x:1000:1000:Dora B. Sea, 2:/home/dora:/bin/sh\n',
  }
  const part = 'src staff {\n user erik "frida"\n userlist names\n userlist accounts\n ip 10.0.0.0/8\n}'
  const { table } = await imported(
    t,
    `${part}\nacl {\n staff {\n pass all\n }\n default {\n pass none\n redirect r\n }\n}`,
    files,
  )
  assert.deepEqual(table.groups, { staff: { users: ['erik', 'frida', 'anna', 'ben', 'carla', 'dora'] } })
  assert.deepEqual(table.rules, [{ name: 'staff-all', clients: ['10.0.0.0/8'], groups: ['staff'], action: 'allow' }])
})

test('times are schedules of their names: with else in the order of rules, outside as the other hours', async (t) => {
  const times = `
    time work {
      weekly mtwhf 08:00-12:00 13:00-17:30
    }
    time "free days" {
      date *.12.24 12:00-24:00
      date 2027.03.26-2027.03.29
      date 2027.05.01
    }`
  const sources = `
    src a { ip 10.0.0.1 }
    src b { ip 10.0.0.2 outside work }
    src c { ip 10.0.0.3 within work }`
  const acls = `
    a within work { pass none } else { pass all }
    b { pass none }
    c within "free days" { pass none }
    default { pass all redirect r }`
  const { table, notes, policy } = await imported(t, `${times}\n${sources}\nacl {\n ${acls}\n}`)
  assert.match(notes, /^line 7: date \*\.12\.24 12:00-24:00: imported until 2035: the policy's dates have a year$/m)
  assert.deepEqual(table.rules?.map(({ name, action, when }) => [`${action} ${name}`, when]).slice(0, 3), [
    ['block a-none', 'work'],
    ['allow a-all', undefined],
    ['block b-none', 'outside-work'],
  ])
  assert.deepEqual(table.schedules, {
    work: [
      { days: 'mon-fri', from: '08:00', to: '12:00' },
      { days: 'mon-fri', from: '13:00', to: '17:30' },
    ],
    'outside-work': [
      { days: 'mon-fri', to: '08:00' },
      { days: 'mon-fri', from: '12:00', to: '13:00' },
      { days: 'mon-fri', from: '17:30' },
      { days: 'sat,sun' },
    ],
  })
  const [, , , ofFreeDays, rest] = table.rules ?? []
  assert.equal(rest?.when, 'work')
  const [morning, afternoon] = [
    { from: '08:00', to: '12:00' },
    { from: '13:00', to: '17:30' },
  ]
  const easter = { days: 'mon,fri', on: '2027-03-26', until: '2027-03-29' }
  assert.deepEqual(ofFreeDays?.when, [
    { on: '2026-12-24', ...afternoon },
    { ...easter, ...morning },
    { ...easter, ...afternoon },
    // Without the years in which it is on a weekend.
    ...[2027, 2029, 2030, 2031, 2032, 2035].map((year) => ({ on: `${year}-12-24`, ...afternoon })),
  ])
  const at = (time: string) => verdictOf(policy, { url: 'http://x.test/', client: '10.0.0.3' }, time)
  assert.deepEqual([at('2027-03-26T08:00'), at('2027-03-30T08:00'), at('2027-03-26T12:00')], ['block', 'pass', 'pass'])
})

test('a time with dates is a schedule, in which they are dates', async (t) => {
  const part = `
    time free {
      weekly as 00:00-24:00
      date 2027.03.26-2027.03.29
      date 2027.05.06 08:00-12:00
      date 2027.02.30
    }
    acl {
      default { pass all redirect r }
    }`
  const source = 'src s { ip 10.0.0.1 }'
  const acl = 's within free { pass all } else { pass none } default'
  const { output, notes } = await imported(t, `${source}${part.replace('default', acl)}`)
  assert.match(notes, /^line 7: date 2027\.02\.30: has a date that does not exist$/m)
  const text = readFileSync(join(output, 'policy.toml'), 'utf8')
  const schedules = `
[schedules]
"free" = [
  { days = "sat,sun" },
  { on = 2027-03-26, until = 2027-03-29 },
  { on = 2027-05-06, from = "08:00", to = "12:00" },
]
`
  assert.ok(text.includes(schedules), text)
})

test('of times that are alike, each rule names its own', async (t) => {
  const hours = '{ weekly mtwhf 08:00-12:00 }'
  const { table } = await imported(
    t,
    `time work ${hours}
    time __proto__ ${hours}
    src a { ip 10.0.0.1 }
    src b { ip 10.0.0.2 }
    src c { ip 10.0.0.3 outside __proto__ }
    acl {
      a within work { pass none } else { pass all }
      b within __proto__ { pass none } else { pass all }
      c { pass none }
      default { pass all redirect r }
    }`,
  )
  assert.deepEqual(
    table.rules?.flatMap(({ when }) => when ?? []),
    ['work', '__proto__', 'outside-__proto__'],
  )
})

test('a time with far too many dates is refused from there, in seconds', async (t) => {
  const dates = Array.from({ length: 20_000 }, (_, at) => {
    const date = new Date(Date.UTC(2026, 0, 1 + 2 * at)).toISOString().slice(0, 10)
    return `date ${date}`
  })
  const { policy, notes, table } = await imported(
    t,
    `time t {\n${dates.join('\n')}\n}\nsrc s { ip 10.0.0.1 }\n` +
      'acl { s outside t { pass none }\n default { pass all redirect r } }',
  )
  assert.match(notes, /^line 2503: date [-0-9]+: not imported: the time has too many dates$/m)
  // Each with as many spans as a rule may have.
  assert.equal(table.rules?.filter(({ name }) => String(name).startsWith('s-none')).length, 26)
  const at = (time: string) => verdictOf(policy, { url: 'http://x.test/', client: '10.0.0.1' }, time)
  assert.deepEqual([at('2026-01-03T08:00'), at('2026-01-04T08:00')], ['pass', 'block'])
})

test('lists are written as the engine reads them, without what squidGuard never finds', async (t) => {
  const domains = [
    '# comment',
    'CASINO.test',
    'zip',
    '192.0.2.7',
    'a.test http://r/',
    '+b.test',
    '\tc.test\r',
    '',
    'd.test',
  ]
  const unmatched = ['.dotted.test', '*.star.test', 'bücher.test', '2.7', 'x..test', `${'a'.repeat(64)}.test`]
  const read = ['u.test/path', 'www.w.test/', 'v.test:8080/x', 'T.test/Y http://r/', '192.0.2.7/8']
  const urls = [...read, 'q.test/?a=b', 'http://s.test/', 'word', `l.test/${'a'.repeat(2048)}`]
  const part = `dest d {\n domainlist d\n urllist u\n}\nacl {\n default {\n pass !d all\n redirect r\n }\n}`
  const { output, notes } = await imported(t, part, {
    d: [...domains, ...unmatched].join('\n'),
    u: urls.join('\n'),
  })
  assert.equal(
    readFileSync(join(output, 'lists/d.txt'), 'utf8'),
    'casino.test\n.zip\n192.0.2.7\na.test\nb.test\nc.test\nd.test\n',
  )
  assert.equal(
    readFileSync(join(output, 'lists/d-urls.txt'), 'utf8'),
    'u.test/path\nwww.w.test\nv.test/x\nt.test/y\n192.0.2.7/8\n',
  )
  assert.match(notes, /^line 3: domainlist d: squidGuard finds no host by 6 lines, such as \.casino\.example$/m)
  assert.match(notes, /^line 4: urllist u: 4 lines not imported: a query, or no host$/m)
})

test('to standard output, lists stay where they are, and those that need --output are named', async (t) => {
  const files = { 'adult/domains': 'adult.test\nzip\n', 'adult/urls': 'mixed.test:80/adult/\n+other.test/x\n' }
  const { file, folder, dbhome } = written(t, SCHOOL, { ...LISTS, ...files })
  const { status, stdout, stderr } = await gatewayctl(['import', 'squidguard', file])
  assert.equal(status, 0, stderr)
  assert.match(stderr, /^line 22: domainlist adult\/domains: the engine reads 1 line otherwise; --output writes/m)
  assert.match(stderr, /^line 23: urllist adult\/urls: the engine reads 1 line otherwise; --output writes/m)
  const config = join(folder, 'policy.toml')
  writeFileSync(config, stdout)
  const policy = await loadPolicy(t, config)
  assert.deepEqual(
    policy.lists.flatMap(({ path, urls }) => [path, urls ?? '']),
    [...['adult/domains', 'adult/urls', 'good/domains'].map((name) => join(dbhome, name)), ''],
  )
  for (const url of ['http://adult.test/', 'http://mixed.test/adult']) {
    assert.equal(verdictOf(policy, { url, client: '10.1.0.1' }, '2026-11-27T08:00'), 'block', url)
  }
})

test('long lists of names and of URLs are one list; a destination with URLs alone is one, too', async (t) => {
  const many = (count: number, line: (number: number) => string) =>
    Array.from({ length: count }, (_, at) => line(at)).join('\n')
  const files = {
    d: many(200_000, (number) => `host-${number}.test`),
    u: many(20_000, (number) => `a.test/${number}`),
    empty: '# nothing yet\n',
  }
  const part = `
    dest d { domainlist d urllist u }
    dest u { domainlist empty urllist u }
    acl { default { pass !d !u all redirect r } }`
  const { policy, table, notes } = await imported(t, part, files)
  assert.equal(notes, 'line 4: domainlist empty: has no entries\nline 5: redirect: the portal shows its own pages\n')
  assert.deepEqual(table.lists, [
    { name: 'd', path: 'lists/d.txt', urls: 'lists/d-urls.txt' },
    { name: 'u', urls: 'lists/u-urls.txt' },
  ])
  const verdict = (url: string) => verdictOf(policy, { url, client: '10.0.0.1' }, '2026-11-27T08:00')
  assert.equal(verdict('http://x.host-199999.test/'), 'block')
  assert.equal(verdict('http://www.a.test/19999/x'), 'block')
  assert.equal(verdict('http://a.test/'), 'pass')
})

test('a file of the configuration that cannot be read ends it, and nothing remains', async (t) => {
  const { file, folder } = written(t, SCHOOL, { 'adult/domains': 'adult.test\n', 'good/domains/file': '' })
  const output = join(folder, 'imported')
  const { status, stdout, stderr } = await gatewayctl(['import', 'squidguard', file, '--output', output])
  assert.deepEqual([status, stdout], [1, ''])
  const [advice, ...named] = stderr.trimEnd().split('\n')
  assert.match(advice ?? '', /^error: .* names files that cannot be read\. --dbhome names their folder, now .*\/db$/)
  assert.deepEqual(named, [
    'line 23: adult/urls cannot be read (ENOENT)',
    'line 28: good/domains cannot be read (it is not a regular file)',
  ])
  assert.equal(existsSync(output), false)
})

test('--dbhome is where the lists are', async (t) => {
  const { file, dbhome } = written(t, SCHOOL.replace('DBHOME', '/nowhere'))
  assert.equal((await gatewayctl(['import', 'squidguard', file])).status, 1)
  assert.equal((await gatewayctl(['import', 'squidguard', file, '--dbhome', dbhome])).status, 0)
})

test('an existing folder is left as it is', async (t) => {
  const { file, folder } = written(t, SCHOOL)
  const output = join(folder, 'imported')
  mkdirSync(output)
  const { status, stderr } = await gatewayctl(['import', 'squidguard', file, '--output', output])
  assert.deepEqual([status, stderr], [2, `error: ${output} exists: name a new folder\n`])
  assert.deepEqual(readdirSync(output), [])
  const missing = await gatewayctl(['import', 'squidguard', file, '--output', join(folder, 'no', 'folder')])
  assert.equal(missing.status, 1)
  assert.match(missing.stderr, /^error: .*\/no\/folder cannot be created: ENOENT/)
})

test('after SIGKILL half way, the next import succeeds, and nothing else remains', async (t) => {
  const names = Array.from({ length: 1_500_000 }, (_, at) => `h${at}.test`)
  const { file, folder, dbhome } = written(t, SCHOOL, { ...LISTS, 'adult/domains': names.join('\n') })
  const args = ['import', 'squidguard', file, '--output', join(folder, 'imported')]
  const child = startGatewayctl(args)
  t.after(() => child.kill('SIGKILL'))
  await until(() => readdirSync(folder).length > 2)
  child.kill('SIGKILL')
  assert.equal((await ended(child)).status, null)
  writeFileSync(join(dbhome, 'adult/domains'), LISTS['adult/domains'])
  const { status, stderr } = await gatewayctl(args)
  assert.equal(status, 0, stderr)
  assert.deepEqual(readdirSync(folder), ['db', 'imported', 'squidGuard.conf'])
  assert.deepEqual(readdirSync(join(folder, 'imported')), ['lists', 'policy.toml'])
})

const END = 'acl {\n default {\n  pass all\n } }'

test('anything but a configuration is refused, with its line', async (t) => {
  const refused: readonly (readonly [string | Uint8Array, RegExp])[] = [
    ['', /must be a configuration of squidGuard or ufdbGuard: it has no acl$/m],
    ['http_port 3128\nacl localnet src 10.0.0.0/8\n', /:2 must have \{ after acl; it has localnet$/m],
    [SCHOOL.slice(0, 400), /squidGuard\.conf:\d+ begins a block that has no end$/m],
    [`${END}\ndest good {\n domainlist d\n`, /:5 begins a block that has no end$/m],
    [`${END}\nunknown {\n a { b }\n`, /:5 begins a block that has no end$/m],
    [`${END}\n}\n`, /:5 has a } that ends no block$/m],
    [`${END}\ndbhome`, /:5 must not be the end: a keyword needs a word after it$/m],
    ['dest {\n}\n', /:1 must have a name after dest; it has \{$/m],
    ['acl {\n default within {\n }\n}\n', /:2 must have a name after within; it has \{$/m],
    [Buffer.from([0, 1, 2, 255, 254, 10]), /must be a configuration of squidGuard or ufdbGuard/],
    [Buffer.from([0, 1, 2, 255, 254, 10, 123]), /:2 begins a block that has no end$/m],
  ]
  for (const [text, message] of refused) {
    const { file } = written(t, text)
    const { status, stdout, stderr } = await gatewayctl(['import', 'squidguard', file])
    assert.deepEqual([status, stdout], [2, ''], stderr)
    assert.match(stderr, message)
    assert.match(stderr, /^error: /)
  }
  const { folder } = written(t, '')
  for (const path of [folder, join(folder, 'missing.conf')]) {
    const { status, stderr } = await gatewayctl(['import', 'squidguard', path])
    assert.equal(status, 2)
    assert.match(stderr, /^error: .* cannot be read: /)
  }
})

test('hostile names can neither write other lines of the policy nor move the cursor', async (t) => {
  const name = `x"]\\u001b[2J\u001b]0;y\u0007\u202e${'é'.repeat(90)}`.replaceAll('"', "'")
  const part = `dest "${name}" {\n domainlist "adult/domains"\n expressionlist "\u001b[31m"\n}`
  const acl = `acl {\n default {\n pass !"${name}" !"${name}" all\n redirect http://r/\n }\n}`
  const { notes, table, policy } = await imported(t, `# \u0007 \u009b\n${part}\n${acl}`)
  assert.doesNotMatch(notes, /(?!\n)\p{C}/u)
  assert.equal(table.rules?.length, 2)
  assert.equal(policy.rules.length, 2)
  const { file } = written(t, Buffer.from('# Gesch\xfctzt\nacl {\n default {\n pass all\n }\n}\n', 'latin1'))
  assert.equal((await gatewayctl(['import', 'squidguard', file])).status, 0)
})

test('ufdbGuard’s: categories, IPv6, either kind of condition, safe search', async (t) => {
  const configuration = `
    port 3977
    safe-search on
    source "staff" {
      ipv4 10.2.0.0/16
      ipv6 2001:db8::/32
      unix userlist "names"
    }
    source both { evaluate-and ip 10.3.0.1 user dora }
    category "adult" {
      domainlist "adult/domains"
      cacerts "x.pem"
      option enforce-https-with-hostname on
      redirect "302:http://r/?a=%a"
    }
    acl {
      staff { pass any }
      both { pass any }
      default { pass !"adult" !in-addr none redirect "http://r/#x" }
    }`
  const { table, notes, output } = await imported(t, configuration, { 'adult/domains': 'adult.test', names: 'anna' })
  assert.match(notes, /^line 3: port: not imported$/m)
  assert.match(notes, /^line 14: option enforce-https-with-hostname on: not imported$/m)
  assert.match(
    readFileSync(join(output, 'policy.toml'), 'utf8'),
    /^# From .*, a configuration of ufdbGuard, because of port in line 3\.$/m,
  )
  assert.deepEqual(table.inspection, { safesearch: true })
  assert.deepEqual(
    table.rules?.map(({ name, clients, groups, action }) => ({ name, clients, groups, action })),
    [
      { name: 'staff-all', clients: ['10.2.0.0/16', '2001:db8::/32'], groups: undefined, action: 'allow' },
      { name: 'staff-all-2', clients: undefined, groups: ['staff'], action: 'allow' },
      { name: 'both-all', clients: ['10.3.0.1'], groups: ['both'], action: 'allow' },
      { name: 'adult', clients: undefined, groups: undefined, action: 'block' },
      { name: 'in-addr', clients: undefined, groups: undefined, action: 'block' },
    ],
  )
})

test('a source that continues only blocks; what it passes for a time is excepted for that time', async (t) => {
  const part = `
    time lessons {
      weekly * 08:00-12:00
    }
    dest good {
      domainlist good/domains
      within lessons
    }
    dest adult {
      domainlist adult/domains
    }
    src school {
      ip 10.0.0.0/8
      continue
    }
    src lab {
      ip 10.1.0.0/16
    }
    acl {
      school {
        pass good none
        redirect r
      }
      lab {
        pass !adult all
        redirect r
      }
      default {
        pass all
        redirect r
      }
    }`
  const { policy, table } = await imported(t, part)
  assert.deepEqual(
    table.rules?.map(({ name, except }) => [name, except]),
    [
      ['school-none', { lists: ['good'] }],
      ['school-none-2', undefined],
      ['lab-adult', undefined],
      ['lab-all', undefined],
    ],
  )
  const at = (time: string) =>
    verdictOf(policy, { url: 'http://school.test/', client: '10.1.0.7' }, `2026-11-27T${time}`)
  assert.deepEqual([at('07:59'), at('08:00'), at('11:59'), at('12:00')], ['block', 'pass', 'pass', 'block'])
})
