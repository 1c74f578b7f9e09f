import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findRule } from '../../../src/engine/policy/policy.ts'
import type { CommandLine } from '../../../src/engine/settings/command-line.ts'
import type { ConfigProblems } from '../../../src/settings/problems.ts'
import { keyring, SECRET } from '../../support/payloads.ts'
import { subjectFor } from '../request-for.ts'
import { API_TOKEN, configure, loadSettings, NO_OPTIONS, policy } from '../running-engine.ts'

const SAMPLE = readFileSync(new URL('../../../src/engine/sample-policy.toml', import.meta.url), 'utf8')

const NO_SUCH_FILE = Object.assign(new Error('no such file'), { code: 'ENOENT' })

/** The problems of a file, a line each; those of its keys without its name. */
function problems(toml: string, options: Partial<CommandLine> = {}, files: Record<string, string> = {}): string[] {
  const readFile = (path: string) => {
    const text = path === 'policy.toml' ? toml : files[path]
    if (text === undefined) throw NO_SUCH_FILE
    return Buffer.from(text)
  }
  try {
    loadSettings({ ...NO_OPTIONS, ...options }, readFile)
    return []
  } catch (error) {
    const [head, ...lines] = (error as Error).message.split('\n')
    assert.match(head ?? '', new RegExp(`^The configuration has ${lines.length} problems?:$`))
    return lines.map((line) => line.trim().replace(/^policy\.toml(:\d+)?: /, ''))
  }
}

test('unset keys have the documented defaults', () => {
  const {
    policy: rules,
    control,
    certificates,
    listsMemory,
  } = configure(
    policy('[[rules]]\nname = "r"\nmatch = ["x.example"]\naction = "warn"\noverride = {type = "pin", code = "1234"}'),
  )
  assert.deepEqual(control, {
    ...{ host: '127.0.0.1', port: 11225, hostnames: [] },
    ...{ apiToken: API_TOKEN, adminToken: undefined, clients: undefined },
  })
  assert.deepEqual(certificates, { folder: 'unused', role: 'issuer', organisation: 'Gateway', groupReadsKey: false })
  assert.equal(rules.acknowledgementMs, 1_200_000)
  assert.equal(listsMemory, 512)
  const [rule] = rules.rules
  assert.ok(rule?.action === 'warn')
  assert.equal(rule.description, '')
  assert.equal(rule.acknowledge, true)
  assert.equal(rule.sessionMs, 3_600_000)
  assert.equal(rule.override?.attempts, 5)
  assert.equal(rule.override?.lockoutMs, 900_000)
})

test('every problem is reported at once, by key and rule, and never with a secret', () => {
  const toml = `
    session_minutes = 0
    acknowledgement_minutes = 1.5
    lists_memory_mb = 0
    nonsense = true
    [captive_portal]
    secret = "s3cr3t-short"
    base_url = "https://portal.example/path"
    [control]
    listen = "localhost"
    api_token = "t0k3n"
    admin_token = "4dm1n"
    clients = ["10.0.0.0/33"]
    hostnames = ["-x"]
    [certificates]
    role = "both"
    organisation = "${'x'.repeat(65)}"
    [[rules]]
    name = "one"
    match = ["x.example//path", "https://x.example", "a*b", "*.x.example", "x.example:80", "x.example/path"]
    action = "block"
    override = { type = "pin", code = "98765" }
    [[rules]]
    name = "one"
    match = []
    action = "deny"
    [[rules]]
    name = ""
    match = "x.example"
    action = "warn"
    override = { type = "pin", code = "98z65" }
    [[rules]]
    name = "four"
    match = ["x.example"]
    description = "${'x'.repeat(1025)}"
    action = "aup"
    acknowledge = false
    session_minutes = "60"
    override = { type = "passphrase", code = "p4ssphrase", prompt = "${'x'.repeat(81)}", attempts = 0 }
    [[rules]]
    match = ["x.example"]
    action = "warn"
    override = { type = "password", code = 98765 }
`
  const found = problems(toml)
  const host =
    'must be a host such as "casino.example", ".casino.example" with all hosts below it, "*.casino.example" for those alone, or "*", each also with a path ("video.example/shorts"), or a network such as "192.0.2.0/24"'
  const hidden = 'it is now a value that is not shown'
  const expected = [
    'session_minutes must be a whole number from 1 to 44640; it is now 0',
    'acknowledgement_minutes must be a whole number from 1 to 44640; it is now 1.5',
    'lists_memory_mb must be a whole number from 1 to 65536; it is now 0',
    'nonsense must not be set: the keys allowed here are captive_portal, control, certificates, state, ops, icap, audit, override, session_minutes, acknowledgement_minutes, lists_memory_mb, default, rules, lists, groups, users, inspection, gateway; it is now a boolean',
    `captive_portal.secret must have 32 or more characters in each secret; ${hidden}`,
    'captive_portal.base_url must be an http or https URL of scheme, host and port alone; it is now "https://portal.example/path"',
    'control.listen must be HOST:PORT; it is now "localhost"',
    `control.api_token must be 16 to 512 visible ASCII characters; ${hidden}`,
    `control.admin_token must be 16 to 512 visible ASCII characters; ${hidden}`,
    'control.clients[1] must be an IP address or a network such as "10.20.0.0/16"; it is now "10.0.0.0/33"',
    'control.hostnames[1] must be a host name in ASCII or an IP address; it is now "-x"',
    'certificates.folder must be set, here or with --publish; it is now unset',
    'certificates.role must be "issuer" or "reader"; it is now "both"',
    `certificates.organisation must be one line of at most 64 characters; it is now "${'x'.repeat(65)}"`,
    `rules[1].match[1] ${host}; it is now "x.example//path"`,
    'rules[1].match[2] must have no scheme; write "x.example"; it is now "https://x.example"',
    'rules[1].match[3] must have * in a host only as *. at its beginning; write each host, such as "casino.example"; it is now "a*b"',
    'rules[1].override must not be set where the action is "block"; it is now a table',
    'rules[2].action must be one of "block", "warn", "aup", "allow"; it is now "deny"',
    'rules[2].match must name at least one host; it is now a list',
    'rules[2].name must differ from rules[1].name; it is now "one"',
    'rules[3].name must be text of 1 to 128 bytes without control characters; it is now ""',
    'rules[3].match must be a list; it is now a string',
    `rules[3].override.code must be a string of 4 to 12 digits; ${hidden}`,
    'rules[4].acknowledge must not be false where the rule has an override: nothing could be acknowledged with the code; it is now false',
    `rules[4].description must be text of 0 to 1024 bytes without control characters; it is now "${'x'.repeat(100)}…"`,
    'rules[4].session_minutes must be a whole number from 1 to 44640; it is now "60"',
    'rules[4].override.attempts must be a whole number from 1 to 100; it is now 0',
    `rules[4].override.prompt must be text of 1 to 80 bytes without control characters; it is now "${'x'.repeat(81)}"`,
    'rules[5].name must be set; it is now unset',
    'rules[5].override.type must be one of "pin", "passphrase"; it is now "password"',
    `rules[5].override.code must be a string; ${hidden}`,
  ]
  assert.deepEqual(found.toSorted(), expected.toSorted())
  assert.doesNotMatch(found.join(), /s3cr3t|t0k3n|4dm1n|98765|98z65|p4ssphrase/)
})

test('a mistake in one section hides none in another', () => {
  const toml = `
    default = "deny"
    [captive_portal]
    secret = "${SECRET}"
    base_url = "https://portal.example"
    [control]
    api_token = "${API_TOKEN}"
    admin_token = "${API_TOKEN}"
    listen = "127.0.0.1:9465"
    clients = []
    [icap]
    listen = "192.0.2.1:1344"
    token_file = "nowhere"
    connect = "deny"
    [certificates]
    folder = "unused"
    role = "reader"
    organization = "Northwind"
    [[rules]]
    name = "one"
    lists = ["missing", "list"]
    when = { not_on = "holidays.txt", from = "08:00", to = "08:00", days = "monday" }
    action = "deny"
    [[rules]]
    name = "two"
    when = { not_on = "holidays.txt" }
    except = { groups = ["nobody", "staff", "broken"] }
    action = "warn"
    override = { type = "pin", attempts = 0, codes = [{ code = "1234" }, { code = "12345" }] }
    [[rules]]
    name = "three"
    when = { not_on = "holidays.txt" }
    match = ["*"]
    action = "block"
    [[lists]]
    name = "list"
    [groups]
    staff = { file = "staff.txt" }
    broken = { users = ["x"], files = 7 }
`
  const found = problems(toml).map((line) => line.replace(/ must .*/, ''))
  const expected = [
    ...[
      'default',
      'control.admin_token',
      'control.clients',
      'icap.listen',
      'icap.connect',
      'certificates.organization',
    ],
    ...[
      'state.url',
      'state.key_file',
      'rules[1].lists[1]',
      'rules[1].when.days',
      'rules[1].when.to',
      'rules[1].action',
    ],
    ...['rules[2].except.groups[1]', 'rules[2].override.attempts', 'rules[2].override.codes[2].code'],
    ...['rules[3].when.not_on', 'lists[1].path', 'groups.staff.file', 'groups.broken.files'],
  ]
  assert.deepEqual(found.toSorted(), expected.toSorted())
})

test('a syntax error is reported with its position, and not quoted', () => {
  const found = problems('[captive_portal]\nsecret = "s3cr3t\nbase_url = "x"\n')
  assert.equal(found.length, 1)
  assert.match(found[0] ?? '', /^policy\.toml must be TOML; line 2, column \d+: \w/)
  assert.doesNotMatch(found[0] ?? '', /s3cr3t/)
})

test('values of the wrong kind', () => {
  assert.deepEqual(problems('captive_portal = 3\ncontrol = "x"\ncertificates = 5\nrules = 7\n'), [
    'captive_portal must be a table; it is now a number',
    'control must be a table; it is now a string',
    'certificates must be a table; it is now a number',
    'rules must be a list; it is now a number',
  ])
  assert.deepEqual(problems('session_minutes = 7\n'), [
    'captive_portal.secret must be set, here or with --secret-file; it is now unset',
    'captive_portal.base_url must be set, here or with GATEWAY_CAPTIVE_BASE_URL; it is now unset',
    'control.api_token must be set, here or with --api-token-file; it is now unset',
    'certificates.folder must be set, here or with --publish; it is now unset',
  ])
})

test('a file without content, or without a line feed at its end, is not read, whatever the options are', () => {
  const env = { GATEWAY_CAPTIVE_BASE_URL: 'https://portal.example' }
  const options = { secretFile: 'secret', apiTokenFile: 'secret', publish: 'x', env }
  const found = (toml: string) => problems(toml, options, { secret: SECRET })
  assert.deepEqual(found(''), ['policy.toml must not be empty; it has no bytes'])
  for (const nothing of ['\n', ' \r\n\t\n', '# rules\n', '\ufeff# rules\n\n']) {
    assert.deepEqual(found(nothing), ['policy.toml must not be empty; it has nothing but comments and white space'])
  }
  for (const [cut, line] of [
    ['default = "block"', 1],
    ['default = "block"\n# rules', 2],
    ['default = "block"\n ', 2],
    ['default = "bl', 1],
  ] as const) {
    assert.deepEqual(found(cut), [`policy.toml must end in a line feed: it may be cut; line ${line} has none`])
  }
  for (const whole of ['default = "block"\n', 'default = "block"\r\n', '[captive_portal]\n', 'default = "block"\n\n']) {
    assert.deepEqual(found(whole), [], whole)
  }
})

test('a secret is not shown where another kind of value belongs', () => {
  const rule = '[[rules]]\nname = "r"\nmatch = ["x"]\naction = "warn"\n'
  for (const value of ['"98765"', '98765', '["98765"]', '{ code = 98765 }', '{ type = "pin", code = ["98765"] }']) {
    const found = problems(policy(`${rule}override = ${value}`)).join('\n')
    assert.match(found, /rules\[1\]\.override/, value)
    assert.doesNotMatch(found, /98765/, value)
  }
  assert.doesNotMatch(problems('captive_portal = "s3cr3t"\nsecrt = "s3cr3t"\n').join(), /s3cr3t/)
})

test('there is one secret, and examples are rejected', () => {
  const withSecret = (secret: string) => problems(policy('').replace(SECRET, secret))
  assert.deepEqual(withSecret(`${SECRET} ${SECRET}x`), [
    'captive_portal.secret must hold one secret: the engine seals with one; it is now a value that is not shown',
  ])
  assert.deepEqual(withSecret('change-me-change-me-change-me-change-me'), [
    'captive_portal.secret must not be an example value; it is now a value that is not shown',
  ])
})

test('the command line and the portal’s variables override the file, and secrets come from files', () => {
  const files: Record<string, string> = {
    'policy.toml': SAMPLE.replace('# hostnames', 'hostnames'),
    secret: `${SECRET}\n`,
    token: 'token-for-the-tests-0123\r\n',
    admin: 'another-for-the-tests-4567',
  }
  const options = {
    env: { GATEWAY_CAPTIVE_BASE_URL: 'http://localhost:8000/', GATEWAY_CAPTIVE_HOSTNAME: '2001:DB8::01' },
    secretFile: 'secret',
    apiTokenFile: 'token',
    adminTokenFile: 'admin',
  }
  const { portal, control, certificates, ops } = loadSettings(
    {
      ...NO_OPTIONS,
      ...options,
      listen: '[::1]:0',
      publish: '/run/gateway',
      ops: 'engine-metrics:9465',
    },
    (path) => Buffer.from(files[path] ?? ''),
  )
  assert.equal(portal.baseUrl, 'http://localhost:8000')
  assert.deepEqual(portal.names, ['localhost', '2001:db8::1', 'portal.internal'])
  assert.equal(portal.keyring.sealing.kid, keyring.sealing.kid)
  assert.deepEqual(control, {
    ...{ host: '::1', port: 0, hostnames: [], clients: undefined },
    ...{ apiToken: 'token-for-the-tests-0123', adminToken: 'another-for-the-tests-4567' },
  })
  assert.equal(certificates.folder, '/run/gateway')
  assert.deepEqual(ops, { host: 'engine-metrics', port: 9465 })
})

test('a problem of an option or a variable names it, and files that cannot be read are among the problems', () => {
  const env = { GATEWAY_CAPTIVE_BASE_URL: 'x', GATEWAY_CAPTIVE_HOSTNAME: '-b', GATEWAY_ORG_NAME: 'a\nb' }
  const options = { secretFile: 'nowhere', listen: 'x', env }
  assert.deepEqual(problems('session_minutes = 0\n', options), [
    'GATEWAY_CAPTIVE_BASE_URL must be an http or https URL of scheme, host and port alone; it is now "x"',
    'GATEWAY_CAPTIVE_HOSTNAME must be a host name in ASCII or an IP address; it is now "-b"',
    '--secret-file must name a file that can be read (ENOENT); it is now "nowhere"',
    'captive_portal.base_url must be set, here or with GATEWAY_CAPTIVE_BASE_URL; it is now unset',
    '--listen must be HOST:PORT; it is now "x"',
    'control.api_token must be set, here or with --api-token-file; it is now unset',
    'certificates.folder must be set, here or with --publish; it is now unset',
    'GATEWAY_ORG_NAME must be one line of at most 64 characters; it is now "a\\u{a}b"',
    'session_minutes must be a whole number from 1 to 44640; it is now 0',
  ])
  assert.deepEqual(problems(policy(''), { apiTokenFile: 'token' }, { token: 't0k3n' }), [
    '--api-token-file: the content of "token" must be 16 to 512 visible ASCII characters; it is now a value that is not shown',
  ])
  assert.deepEqual(problems(policy(''), { adminTokenFile: 'token' }, { token: API_TOKEN }), [
    '--admin-token-file: the content of "token" must differ from control.api_token; it is now a value that is not shown',
  ])
  assert.deepEqual(problems('', { config: 'nowhere.toml' }), [
    'nowhere.toml must be a file that can be read; the system reports ENOENT',
  ])
})

test('listeners with the same port and address, or one that covers the other, are a problem', () => {
  const problemsOf = (control: string, sections: string) => {
    try {
      configure(policy(sections, '', `api_token = "${API_TOKEN}"\nlisten = "${control}"`), { token: API_TOKEN })
      return []
    } catch (error) {
      return (error as ConfigProblems).problems.map((problem) => problem.replace(/^[^ ]+ |;.*/g, ''))
    }
  }
  const icap = (listen: string) => `[icap]\ntoken_file = "token"\nlisten = "${listen}"\n`
  const ops = (listen: string) => `[ops]\nlisten = "${listen}"\n`
  const same = 'icap.listen must differ from control.listen'
  assert.deepEqual(problemsOf('127.0.0.1:1344', icap('127.0.0.1:1344')), [same])
  assert.deepEqual(problemsOf('0.0.0.0:1344', icap('127.0.0.1:1344')), [same])
  assert.deepEqual(problemsOf('[::]:1344', icap('localhost:1344')), [same])
  assert.deepEqual(problemsOf('127.0.0.1:9465', ''), ['ops.listen must differ from control.listen, here or with --ops'])
  assert.deepEqual(problemsOf('127.0.0.1:1', icap('127.0.0.1:2') + ops('0.0.0.0:2')), [
    'ops.listen must differ from icap.listen',
  ])
  for (const [control, sections] of [
    ['127.0.0.1:0', icap('127.0.0.1:0') + ops('127.0.0.1:0')],
    ['127.0.0.1:1', icap('127.0.0.2:1') + ops('')],
    ['0.0.0.0:1', icap('[::1]:1') + ops('127.0.0.1:3')],
  ] as const) {
    assert.deepEqual(problemsOf(control, sections), [])
  }
})

test('GATEWAY_ORG_NAME is cut to 64 characters, and an empty one is ignored', () => {
  const organisation = (given: string, toml = policy('')) => {
    const options = { ...NO_OPTIONS, env: { GATEWAY_ORG_NAME: given } }
    return loadSettings(options, () => Buffer.from(toml)).certificates.organisation
  }
  assert.equal(organisation('Müller "& Söhne" \\ #1'), 'Müller "& Söhne" \\ #1')
  assert.equal(organisation(` ${'ü'.repeat(64)} `), 'ü'.repeat(64))
  assert.equal(organisation('😀'.repeat(200)), '😀'.repeat(64), 'no character is cut in two')
  assert.equal(organisation(`${'a'.repeat(63)} district`), 'a'.repeat(63))
  const named = policy('').replace('folder = ', 'organisation = "Northwind"\n folder = ')
  for (const empty of ['', ' ']) {
    assert.equal(organisation(empty, named), 'Northwind')
    assert.equal(organisation(empty), 'Gateway')
  }
  assert.equal(organisation('Southwind', named), 'Southwind')
  assert.throws(
    () => organisation('line\nbreak'),
    /GATEWAY_ORG_NAME must be one line of at most 64 characters; it is now "line\\u\{a\}break"/,
  )
})

test('the sample policy contains no secret', () => {
  assert.deepEqual(problems(SAMPLE), [
    'captive_portal.secret must be set, here or with --secret-file; it is now unset',
    'control.api_token must be set, here or with --api-token-file; it is now unset',
    'certificates.folder must be set, here or with --publish; it is now unset',
  ])
})

test('the sample policy has a rule for every case, and names its codes', () => {
  const { policy } = loadSettings(
    { ...NO_OPTIONS, secretFile: 'secret', apiTokenFile: 'secret', publish: 'x' },
    (path) => Buffer.from(path === 'secret' ? SECRET : SAMPLE),
  )
  const described = (name: string): string => {
    const rule = findRule(policy, subjectFor(`http://${name}.localhost/`))?.rule
    if (rule === undefined) return 'allow'
    if (rule.action === 'allow' || rule.action === 'block') return rule.action
    const { override } = rule
    if (override === undefined) return `${rule.action} ${rule.acknowledge ? 'with a way on' : 'terminal'}`
    const comment = SAMPLE.split(`name = "${rule.name}"`)[0]?.split('\n').at(-3) ?? ''
    assert.ok(comment.endsWith(`The code: ${override.codes[0]?.code}`), comment)
    const limits = `${override.attempts} in ${override.lockoutMs / 1000} s`
    return `${rule.action}, ${override.type} of ${[...(override.codes[0]?.code ?? '')].length}, ${override.prompt ?? 'no prompt'}, ${limits}`
  }
  assert.deepEqual(
    Object.fromEntries(
      ['casino', 'weapons', 'news', 'filesharing', 'social', 'mail', 'video', 'lab', 'archive', 'vault', 'weather'].map(
        (name): [string, string] => [name, described(name)],
      ),
    ),
    {
      casino: 'block',
      weapons: 'block',
      news: 'warn with a way on',
      filesharing: 'warn terminal',
      social: 'aup with a way on',
      mail: 'aup terminal',
      video: 'warn, pin of 6, no prompt, 5 in 900 s',
      lab: 'aup, pin of 4, Laboratory PIN, 5 in 900 s',
      archive: 'warn, passphrase of 14, Passphrase of the reading room, 5 in 900 s',
      vault: 'warn, pin of 6, no prompt, 2 in 30 s',
      weather: 'allow',
    },
  )
})
