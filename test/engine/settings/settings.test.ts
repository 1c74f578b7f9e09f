import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findRule } from '../../../src/engine/policy/policy.ts'
import { type CommandLine, parseCommandLine } from '../../../src/engine/settings/command-line.ts'
import { loadConfiguration } from '../../../src/engine/settings/settings.ts'
import { keyring, SECRET } from '../../support/payloads.ts'
import { configure, policy } from '../running-engine.ts'

const SAMPLE = readFileSync(new URL('../../../src/engine/sample-policy.toml', import.meta.url), 'utf8')
const NO_OPTIONS: CommandLine = {
  config: 'policy.toml',
  listen: undefined,
  publish: undefined,
  baseUrl: undefined,
  hostnames: undefined,
  organisation: undefined,
  groupReadsKey: undefined,
  secretFile: undefined,
  apiTokenFile: undefined,
  rotateCa: undefined,
}

/** The problems of a file, a line each. */
function problems(toml: string, options: Partial<CommandLine> = {}, files: Record<string, string> = {}): string[] {
  const readFile = (path: string) => {
    const text = path === 'policy.toml' ? toml : files[path]
    if (text === undefined) throw new Error('no such file')
    return text
  }
  try {
    loadConfiguration({ ...NO_OPTIONS, ...options }, readFile)
    return []
  } catch (error) {
    const [head, ...lines] = (error as Error).message.split('\n')
    assert.match(head ?? '', new RegExp(`^The configuration has ${lines.length} problems?:$`))
    return lines.map((line) => line.trim())
  }
}

test('what is left out has the documented value', () => {
  const {
    policy: rules,
    control,
    certificates,
  } = configure(
    policy('[[rules]]\nname = "r"\nmatch = ["x.example"]\naction = "warn"\noverride = {type = "pin", code = "1234"}'),
  )
  assert.deepEqual(control, { host: '127.0.0.1', port: 11225, apiToken: undefined, hostnames: [] })
  assert.deepEqual(certificates, { folder: 'unused', organisation: 'Gateway', groupReadsKey: false })
  assert.equal(rules.acknowledgementMs, 900_000)
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
    nonsense = true
    [captive_portal]
    secret = "s3cr3t-short"
    base_url = "https://portal.example/path"
    [control]
    listen = "localhost"
    api_token = "t0k3n"
    hostnames = ["-x"]
    [certificates]
    organisation = "${'x'.repeat(65)}"
    [[rules]]
    name = "one"
    match = ["x.example/path", "https://x.example", "a*b", "*.x.example", "x.example:80"]
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
  const expected = [
    'session_minutes must be a whole number from 1 to 44640',
    'acknowledgement_minutes must be a whole number from 1 to 44640',
    'nonsense is not a key that is known here',
    'captive_portal.secret must have 32 or more characters in each secret',
    'captive_portal.base_url must be an http or https URL of scheme, host and port alone',
    'control.listen must be HOST:PORT',
    'control.api_token must have 16 to 512 visible ASCII characters',
    'control.hostnames[1] must be a host name or an IP address',
    'certificates.folder is missing',
    'certificates.organisation must have at most 64 characters',
    'rules[1].match[1] must be a host such as "casino.example", "*.casino.example" for all below it, or "*"',
    'rules[1].match[2] must be a host such as "casino.example", "*.casino.example" for all below it, or "*"',
    'rules[1].match[3] must be a host such as "casino.example", "*.casino.example" for all below it, or "*"',
    'rules[1].override is not a key that is known here',
    'rules[2].action must be one of "block", "warn", "aup", "allow"',
    'rules[2].name is that of rules[1]',
    'rules[3].name must have 1 to 128 bytes and no control characters',
    'rules[3].match must be a list of hosts',
    'rules[3].override.code must be a text of 4 to 12 digits',
    'rules[4] must not have an override where acknowledge is false: there is no way on that a code could open',
    'rules[4].description must have 0 to 1024 bytes and no control characters',
    'rules[4].session_minutes must be a whole number from 1 to 44640',
    'rules[4].override.attempts must be a whole number from 1 to 100',
    'rules[4].override.prompt must have 1 to 80 bytes and no control characters',
    'rules[5].name is missing',
    'rules[5].override.type must be one of "pin", "passphrase"',
  ]
  assert.deepEqual(found.toSorted(), expected.toSorted())
  assert.doesNotMatch(found.join(), /s3cr3t|t0k3n|98765|98z65|p4ssphrase/)
})

test('crl_url, whatever it holds, is ignored with one warning that names the key', () => {
  assert.deepEqual(configure(policy('')).warnings, [])
  const ignored = 'certificates.crl_url is ignored: the engine publishes no revocation list; remove the key'
  for (const value of ['"http://pki.example/gateway.crl"', '"http://portal.example/"', '""', '7']) {
    assert.deepEqual(configure(policy(`crl_url = ${value}`)).warnings, [ignored], value)
  }
})

test('a file that is no TOML is named by line, and not quoted', () => {
  const found = problems('[captive_portal]\nsecret = "s3cr3t\nbase_url = "x"\n')
  assert.equal(found.length, 1)
  assert.match(found[0] ?? '', /^line 2, column \d+: Invalid TOML document/)
  assert.doesNotMatch(found[0] ?? '', /s3cr3t/)
})

test('tables that are none, and an empty file', () => {
  assert.deepEqual(problems('captive_portal = 3\ncontrol = "x"\ncertificates = 5\nrules = 7\n'), [
    'captive_portal must be a table',
    'control must be a table',
    'certificates must be a table',
    'rules must be a list',
  ])
  assert.deepEqual(problems(''), [
    'captive_portal.secret is missing',
    'captive_portal.base_url is missing',
    'certificates.folder is missing',
  ])
})

test('secrets have no white space in them, and examples are refused', () => {
  const withSecret = (secret: string) => problems(policy('').replace(SECRET, secret))
  assert.deepEqual(withSecret(`${SECRET} ${SECRET}x`), [
    'captive_portal.secret must have no white space in it: the engine seals with one secret',
  ])
  assert.deepEqual(withSecret('change-me-change-me-change-me-change-me'), [
    'captive_portal.secret must not be an example value',
  ])
})

test('the command line overrides the file, and secrets come from files', () => {
  const files: Record<string, string> = {
    'policy.toml': SAMPLE,
    secret: `${SECRET}\n`,
    token: 'token-for-the-tests-0123\r\n',
  }
  const options = { baseUrl: 'http://localhost:8000/', secretFile: 'secret', apiTokenFile: 'token' }
  const { policy, control, certificates } = loadConfiguration(
    {
      ...NO_OPTIONS,
      ...options,
      listen: '[::1]:0',
      publish: '/run/gateway',
      hostnames: ['Portal.example', '2001:DB8::01'],
    },
    (path) => files[path] ?? '',
  )
  assert.equal(policy.baseUrl, 'http://localhost:8000')
  assert.deepEqual(policy.portalNames, ['localhost', 'portal.example', '2001:db8::1'])
  assert.equal(policy.keyring.sealing.kid, keyring.sealing.kid)
  assert.deepEqual(control, { host: '::1', port: 0, apiToken: 'token-for-the-tests-0123', hostnames: [] })
  assert.equal(certificates.folder, '/run/gateway')
})

test('files that cannot be read are problems beside the others', () => {
  assert.deepEqual(problems('session_minutes = 0', { secretFile: 'nowhere', baseUrl: 'x', listen: 'x' }), [
    '--secret-file nowhere cannot be read: no such file',
    'captive_portal.secret is missing',
    'captive_portal.base_url must be an http or https URL of scheme, host and port alone',
    'control.listen must be HOST:PORT',
    'certificates.folder is missing',
    'session_minutes must be a whole number from 1 to 44640',
  ])
})

test('the organisation of the command line is cut to 64 characters, and an empty one is none', () => {
  const organisation = (given: string, toml = policy('')) => {
    const options = parseCommandLine(['--config', 'policy.toml', '--organisation', given])
    assert.ok(options !== 'help')
    return loadConfiguration(options, () => toml).certificates.organisation
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
  assert.throws(() => organisation('line\nbreak'), /certificates\.organisation must .* no control characters/)
})

test('the sample policy has no usable secret', () => {
  assert.deepEqual(problems(SAMPLE), ['captive_portal.secret is missing', 'certificates.folder is missing'])
})

test('the sample policy has a rule for every case, and says its codes', () => {
  const { policy } = loadConfiguration({ ...NO_OPTIONS, secretFile: 'secret', publish: 'x' }, (path) =>
    path === 'secret' ? SECRET : SAMPLE,
  )
  const described = (name: string): string => {
    const rule = findRule(policy, `${name}.localhost`)
    if (rule === undefined) return 'allow'
    if (rule.action === 'allow' || rule.action === 'block') return rule.action
    const { override } = rule
    if (override === undefined) return `${rule.action} ${rule.acknowledge ? 'with a way on' : 'terminal'}`
    const comment = SAMPLE.split(`name = "${rule.name}"`)[0]?.split('\n').at(-3) ?? ''
    assert.ok(comment.endsWith(`The code: ${override.code}`), comment)
    const limits = `${override.attempts} in ${override.lockoutMs / 1000} s`
    return `${rule.action}, ${override.type} of ${[...override.code].length}, ${override.prompt ?? 'no prompt'}, ${limits}`
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
