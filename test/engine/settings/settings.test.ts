import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findRule } from '../../../src/engine/policy/policy.ts'
import type { CommandLine } from '../../../src/engine/settings/command-line.ts'
import type { ConfigProblems } from '../../../src/settings/problems.ts'
import { keyring, SECRET } from '../../support/payloads.ts'
import { rule } from '../../support/rules.ts'
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
  const toml = policy(rule('r', 'warn', 'match = ["x.example"]', 'override = { type = "pin", code = "1234" }'))
  const { policy: rules, control, certificates, listsMemory } = configure(toml)
  assert.deepEqual(control, {
    ...{ host: '127.0.0.1', port: 11225, hostnames: [] },
    ...{ apiToken: API_TOKEN, adminToken: undefined, clients: undefined },
  })
  assert.deepEqual(certificates, { folder: 'unused', role: 'issuer', organisation: 'Gateway', groupReadsKey: false })
  assert.equal(rules.acknowledgementMs, 1_200_000)
  assert.equal(listsMemory, 512)
  const [one] = rules.rules
  assert.ok(one?.action === 'warn')
  const { description, acknowledge, sessionMs, override } = one
  assert.deepEqual(
    [description, acknowledge, sessionMs, override?.attempts, override?.lockoutMs],
    ['', true, 3_600_000, 5, 900_000],
  )
})

test('every mistake in every section is reported at once, and never with a secret', () => {
  const toml = `
    session_minutes = 0
    acknowledgement_minutes = 1.5
    lists_memory_mb = 0
    nonsense = true
    default = "deny"
    rules = 7
    captive_portal = { secret = "s3cr3t-short", base_url = "https://portal.example/path" }
    [control]
    listen = "localhost"
    api_token = "t0k3n"
    admin_token = "4dm1n"
    clients = ["10.0.0.0/33"]
    hostnames = ["-x"]
    [icap]
    listen = "192.0.2.1:1344"
    token_file = "nowhere"
    connect = "deny"
    [certificates]
    role = "both"
    organisation = "${'x'.repeat(65)}"
    organization = "Northwind"
    [[lists]]
    name = "list"
    [groups]
    staff = { file = "staff.txt" }
    broken = { users = ["x"], files = 7 }
`
  const found = problems(toml)
  const expected = [
    'session_minutes … 0',
    'acknowledgement_minutes … 1.5',
    'lists_memory_mb … 0',
    'nonsense … a boolean',
    'default … "deny"',
    'rules … a number',
    'captive_portal.secret … a value that is not shown',
    'captive_portal.base_url … "https://portal.example/path"',
    'control.listen … "localhost"',
    'control.api_token … a value that is not shown',
    'control.admin_token … a value that is not shown',
    'control.clients[1] … "10.0.0.0/33"',
    'control.hostnames[1] … "-x"',
    'icap.listen … "192.0.2.1:1344"',
    'icap.connect … "deny"',
    'certificates.folder … unset',
    'certificates.role … "both"',
    `certificates.organisation … "${'x'.repeat(65)}"`,
    'certificates.organization … a string',
    'lists[1].path … unset',
    'groups.staff.file … "staff.txt"',
    'groups.broken.files … a number',
  ]
  assert.deepEqual(found.map((line) => line.replace(/ must .*; it is now/, ' …')).toSorted(), expected.toSorted())
  assert.doesNotMatch(found.join(), /s3cr3t|t0k3n|4dm1n/)
})

test('a secret is not shown where another kind of value belongs, nor one that is an example or one of two', () => {
  for (const value of ['"98765"', '98765', '["98765"]', '{ code = 98765 }', '{ type = "pin", code = ["98765"] }']) {
    const found = problems(policy(rule('r', 'warn', 'match = ["x"]', `override = ${value}`))).join('\n')
    assert.match(found, /rules\[1\]\.override/, value)
    assert.doesNotMatch(found, /98765/, value)
  }
  assert.doesNotMatch(problems('captive_portal = "s3cr3t"\nsecrt = "s3cr3t"\n').join(), /s3cr3t/)
  for (const secret of [`${SECRET} ${SECRET}x`, 'change-me-change-me-change-me-change-me']) {
    assert.match(
      problems(policy('').replace(SECRET, secret)).join('\n'),
      /^captive_portal\.secret must (hold one secret: .*|not be an example value); it is now a value that is not shown$/,
    )
  }
})

test('a syntax error is reported with its position, and not quoted', () => {
  const found = problems('[captive_portal]\nsecret = "s3cr3t\nbase_url = "x"\n')
  assert.equal(found.length, 1)
  assert.match(found[0] ?? '', /^policy\.toml must be TOML; line 2, column \d+: \w/)
  assert.doesNotMatch(found[0] ?? '', /s3cr3t/)
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

test('the command line and the portal’s variables override the file, and secrets come from files', () => {
  const files: Record<string, string> = {
    'policy.toml': SAMPLE.replace('# hostnames', 'hostnames'),
    secret: `${SECRET}\n`,
    token: 'token-for-the-tests-0123\r\n',
    admin: 'another-for-the-tests-4567',
  }
  const options = {
    ...NO_OPTIONS,
    env: { GATEWAY_CAPTIVE_BASE_URL: 'http://localhost:8000/', GATEWAY_CAPTIVE_HOSTNAME: '2001:DB8::01' },
    ...{ secretFile: 'secret', apiTokenFile: 'token', adminTokenFile: 'admin' },
    ...{ listen: '[::1]:0', publish: '/run/gateway', ops: 'engine-metrics:9465' },
  }
  const { portal, control, certificates, ops } = loadSettings(options, (path) => Buffer.from(files[path] ?? ''))
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
  const ofOps = 'ops.listen must differ from'
  for (const [control, sections, ...expected] of [
    ['127.0.0.1:1344', icap('127.0.0.1:1344'), same],
    ['0.0.0.0:1344', icap('127.0.0.1:1344'), same],
    ['[::]:1344', icap('localhost:1344'), same],
    ['127.0.0.1:9465', '', `${ofOps} control.listen, here or with --ops`],
    ['127.0.0.1:1', icap('127.0.0.1:2') + ops('0.0.0.0:2'), `${ofOps} icap.listen`],
    ['127.0.0.1:0', icap('127.0.0.1:0') + ops('127.0.0.1:0')],
    ['127.0.0.1:1', icap('127.0.0.2:1') + ops('')],
    ['0.0.0.0:1', icap('[::1]:1') + ops('127.0.0.1:3')],
  ] as const) {
    assert.deepEqual(problemsOf(control, sections), expected)
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
})

test('the sample policy has no secret, a rule for every case, and names its codes', () => {
  assert.equal(problems(SAMPLE).length, 3)
  const { policy } = loadSettings(
    { ...NO_OPTIONS, secretFile: 'secret', apiTokenFile: 'secret', publish: 'x' },
    (path) => Buffer.from(path === 'secret' ? SECRET : SAMPLE),
  )
  const described = (name: string): string => {
    const found = findRule(policy, subjectFor(`http://${name}.localhost/`))?.rule
    if (found === undefined) return 'allow'
    if (found.action === 'allow' || found.action === 'block') return found.action
    const { action, acknowledge, override } = found
    if (override === undefined) return `${action} ${acknowledge ? 'with a way on' : 'terminal'}`
    const [{ code } = assert.fail()] = override.codes
    assert.match(SAMPLE, new RegExp(`The code: ${code}\\n\\[\\[rules\\]\\]\\nname = "${found.name}"`))
    return `${action}, ${override.type} of ${code.length}, ${override.attempts} in ${override.lockoutMs / 1000} s`
  }
  const expected: Readonly<Record<string, readonly string[]>> = {
    block: ['casino', 'weapons'],
    'warn with a way on': ['news'],
    'warn terminal': ['filesharing'],
    'aup with a way on': ['social'],
    'aup terminal': ['mail'],
    'warn, pin of 6, 5 in 900 s': ['video'],
    'aup, pin of 4, 5 in 900 s': ['lab'],
    'warn, passphrase of 14, 5 in 900 s': ['archive'],
    'warn, pin of 6, 2 in 30 s': ['vault'],
    allow: ['weather'],
  }
  for (const [rule, names] of Object.entries(expected)) {
    for (const name of names) assert.equal(described(name), rule)
  }
})
