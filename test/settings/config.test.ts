import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import packageJson from '#package' with { type: 'json' }
import { deriveKeyring } from '../../src/contract/secret.ts'
import { PUBLISHER } from '../../src/portal/settings/brand.ts'
import { type Config, loadConfig } from '../../src/portal/settings/config.ts'
import { ConfigProblems } from '../../src/settings/problems.ts'
import { postgresLocation } from '../support/postgres-server.ts'
import { type Changes, load, problemsOf, SECRET_KEY, SHARED_SECRET } from './load.ts'

const { version } = packageJson

// What else is read by default: docs/configuration.md, which is generated.
test('four variables are enough, without a warning; what a record or a log has of visitors is off', () => {
  const { config, warnings } = load()
  assert.deepEqual(warnings, [])
  assert.equal(config.environment, 'production')
  assert.equal(config.payload.keyring.sealing.kid, deriveKeyring([SHARED_SECRET]).sealing.kid)
  assert.deepEqual(config.session.secrets, [SECRET_KEY])
  assert.deepEqual(config.records, { clientAddress: false, logDestination: false, proxyLog: 'unknown' })
  assert.deepEqual([config.ops.host, config.trustedProxies, config.publicAddress.secure], ['127.0.0.1', [], true])
  assert.deepEqual([config.engine.apiToken, config.brand.logo], [undefined, undefined])
})

test('an empty value and white space count as unset', () => {
  for (const empty of ['', ' \t']) {
    const changes = { GATEWAY_CAPTIVE_LISTEN_PORT: empty, GATEWAY_CAPTIVE_AUP_ENABLED: empty, BRAND_PALETTE: empty }
    assert.deepEqual(load(changes).config, load().config)
  }
})

const read: readonly [section: keyof Config, changes: Changes, expected: object][] = [
  ['listen', { GATEWAY_CAPTIVE_LISTEN_PORT: ' 8080\n' }, { port: 8080 }],
  ['release', { GATEWAY_CAPTIVE_RELEASE_TYPE: '' }, { type: '', label: version }],
  ['release', { GATEWAY_CAPTIVE_RELEASE_TYPE: 'GA' }, { type: 'GA', label: `${version}-GA` }],
  // The public address is an origin without a slash at its end, and the host's name is lower-cased.
  ['publicAddress', { GATEWAY_CAPTIVE_BASE_URL: 'HTTPS://LocalHost:443/' }, {}],
  ['publicAddress', { GATEWAY_CAPTIVE_HOSTNAME: 'LOCALHOST' }, {}],
  ['trustedProxies', { GATEWAY_CAPTIVE_TRUSTED_PROXIES: '10.0.0.0/8, ::1' }, { 0: '10.0.0.0/8', 1: '::1' }],
  [
    'locales',
    { GATEWAY_CAPTIVE_SUPPORTED_LOCALES: 'it, de', GATEWAY_CAPTIVE_LOCALE: 'de' },
    { default: 'de', supported: ['it', 'de'] },
  ],
  ['certificate', { GATEWAY_CAPTIVE_SSL_BUMP: 'off' }, { inspection: false }],
  ['policy', { GATEWAY_CAPTIVE_AUP_ENABLED: 'true' }, { enabled: true }],
  ['records', { GATEWAY_CAPTIVE_LOG_DESTINATION: 'true' }, { logDestination: true }],
  ['records', { GATEWAY_CAPTIVE_RECORD_CLIENT_ADDRESS: 'true' }, { clientAddress: true }],
  // An unknown palette means indigo, without a warning; the long name has precedence.
  ['brand', { GATEWAY_CAPTIVE_BRAND_PALETTE: 'mauve' }, { palette: 'indigo' }],
  ['brand', { BRAND_PALETTE: 'amber' }, { palette: 'amber' }],
  ['brand', { BRAND_PALETTE: 'amber', GATEWAY_CAPTIVE_BRAND_PALETTE: 'bsod' }, { palette: 'bsod' }],
  ['brand', { GATEWAY_ORG_NAME: ' Zürich <AG> ' }, { organisation: 'Zürich <AG>' }],
  ['brand', { GATEWAY_CAPTIVE_BRAND_COMPANY: '' }, { company: undefined }],
  ['brand', { BRAND_COMPANY_URL: 'https://a.example' }, { company: PUBLISHER, companyUrl: 'https://a.example/' }],
  ['brand', { GATEWAY_CAPTIVE_SUPPORT_TEXT: ' Room 12 <b> ' }, { supportText: 'Room 12 <b>' }],
]
for (const [section, changes, expected] of read) {
  test(`${section}: ${JSON.stringify(changes)}`, () => {
    const { config, warnings } = load(changes)
    assert.deepEqual({ ...Object(config[section]) }, { ...Object(load().config[section]), ...expected })
    assert.deepEqual(warnings, [])
  })
}

test('another port, plain http, and no engine', () => {
  const address = (url: string) => load({ GATEWAY_CAPTIVE_BASE_URL: url }).config.publicAddress
  assert.equal(address('https://localhost:8443').baseUrl, 'https://localhost:8443')
  assert.equal(address('http://localhost:8080').secure, false)
  assert.equal(load({ ENGINE_INTERNAL_URL: '' }).config.engine.url, undefined)
})

test('a name that no URL can have is a problem where the base URL is derived from it', () => {
  for (const name of ['fe80::1%eth0', 'a.0x7f']) {
    const [problem = '', ...more] = problemsOf({ GATEWAY_CAPTIVE_HOSTNAME: name })
    assert.match(problem, /^GATEWAY_CAPTIVE_HOSTNAME must be valid in a URL .*; it is now "/)
    assert.deepEqual(more, [])
    assert.deepEqual(problemsOf({ GATEWAY_CAPTIVE_HOSTNAME: name, GATEWAY_CAPTIVE_BASE_URL: 'https://localhost' }), [])
  }
})

test('a time zone has the spelling that browsers use', () => {
  for (const [zone, timeZone] of [
    ['europe/zurich', 'Europe/Zurich'],
    ['Etc/UTC', 'UTC'],
  ]) {
    assert.equal(load({ GATEWAY_TIMEZONE: zone }).config.timeZone, timeZone)
  }
})

const supportLinks: [string, string, readonly string[], href?: string][] = [
  ['mailto:help@a.example', 'help@a.example', ['subject', 'body']],
  ['MAILTO:help@ä.example#{rule}', 'help@ä.example', ['subject', 'body'], 'mailto:help@%C3%A4.example'],
  ['mailto:help@a.example?cc={rule}&Subject={host}{category}', 'help@a.example', ['body']],
  ['mailto:help@a.example?body=&subject={reference}', 'help@a.example', []],
  ['tel:+41-44-555-01-00', '+41-44-555-01-00', []],
  ['https://a.example', 'https://a.example', [], 'https://a.example/'],
  ['http://a.example/b?{reference}#{reference}{reference}', 'http://a.example/b', []],
]
for (const [text, address, unsetFields, href = text] of supportLinks) {
  test(`brand: whom to ask at ${text}`, () => {
    const [scheme] = href.split(':')
    const { supportLink } = load({ GATEWAY_CAPTIVE_SUPPORT_URL: text }).config.brand
    assert.deepEqual(supportLink, { scheme, href, address, unsetFields })
  })
}

// What a PostgreSQL URL means: postgres-url.test.ts.
const databases: [string, object][] = [
  ['sqlite:////var/lib/portal.db', { dialect: 'sqlite', path: resolve('/var/lib/portal.db') }],
  ['sqlite:///portal.db', { dialect: 'sqlite', path: resolve('portal.db'), isRelative: true }],
  ['sqlite+pysqlite:////a%20b.db', { dialect: 'sqlite', path: resolve('/a%20b.db') }],
  ['sqlite://', { dialect: 'sqlite', path: ':memory:' }],
  ['sqlite:///:memory:', { dialect: 'sqlite', path: ':memory:' }],
  ['postgresql+psycopg2://u:p%40w@db/portal', postgresLocation('postgresql://u:p%40w@db/portal')],
]
for (const [url, expected] of databases) {
  test(`database: ${url}`, () => {
    assert.deepEqual(load({ GATEWAY_CAPTIVE_DATABASE_URL: url }).config.database, expected)
  })
}

const broken: [string, string[], RegExp][] = [
  ['GATEWAY_CAPTIVE_BASE_URL', ['portal', 'ftp://a', 'https://', 'https:a', 'https://a b'], /http or https/],
  ['GATEWAY_CAPTIVE_BASE_URL', ['https://a/b', 'https://a?', 'https://a#', 'https://u@a', 'https://a:99999'], /alone/],
  ['GATEWAY_CAPTIVE_HOSTNAME', ['a b', 'a..b', '-a', 'https://a', 'a:1', '1.2.3', 'zürich.example'], /host name/],
  ['GATEWAY_CAPTIVE_HTTP_PORT', ['0', '65536'], /from 1 to 65535/],
  ['GATEWAY_CAPTIVE_HTTPS_PORT', ['0', '443/tcp'], /from 1 to 65535/],
  ['GATEWAY_CAPTIVE_SHARED_SECRET', ['change-me-change-me-change-me-change-me'], /example/],
  ['ENGINE_SIGNATURE_MAX_AGE_SECONDS', ['0', '-1', '300s', '1.5', '86401', '1e3', '0300'], /whole number/],
  ['GATEWAY_CAPTIVE_ENV', ['prod', 'Production'], /production or development/],
  ['GATEWAY_CAPTIVE_SECRET_KEY', ['short', 'a b c'], /32 or more|at most two/],
  ['ENGINE_INTERNAL_URL', ['engine:11225', 'https://engine/x', 'https://engine?x', 'unix:/x'], /http or https/],
  ['ENGINE_ACK_PATH', ['ack', '//ack', '/a?b', '/a#b', '/a b', '/ä', '/%zz', '/a\\b'], /one slash/],
  ['ENGINE_TIMEOUT_SECONDS', ['0', 'five', '121'], /from 1 to 120/],
  ['ENGINE_CA_FILE', ['/nonexistent/ca.pem', '/'], /can be read/],
  ['ENGINE_API_TOKEN', ['a b', 'tökens', 'a\r\nb'], /visible ASCII/],
  [
    'GATEWAY_CAPTIVE_DATABASE_URL',
    ['portal.db', 'mysql://a/b', 'sqlite:/x', 'sqlite://host/x', 'sqlite:///x?y'],
    /sqlite/i,
  ],
  ['GATEWAY_CAPTIVE_DATABASE_URL', ['postgresql://', 'postgresql://db', 'postgresql://db/y?a#b'], /postgresql/],
  [
    'GATEWAY_CAPTIVE_DATABASE_URL',
    ['#w', '/w', '?w', '/a#w', '/a?w', '@#w', '%zz', ' w'].map((w) => `postgresql://u:1${w}@db/y`),
    /encoded/,
  ],
  ['GATEWAY_ORG_NAME', ['a\nb', 'x'.repeat(201), 'a\u2028b'], /one line/],
  ['GATEWAY_CAPTIVE_BRAND_COMPANY', ['a\0b', 'x'.repeat(201)], /one line/],
  ['GATEWAY_CAPTIVE_BRAND_PRODUCT', ['a\u0085b', 'x'.repeat(201)], /one line/],
  ['GATEWAY_CAPTIVE_BRAND_COMPANY_URL', ['javascript:alert(1)', 'mailto:a@b', 'a.example', 'https:a'], /http or https/],
  ['BRAND_COMPANY_URL', ['ftp://a', 'https://u:p@a', 'https://a b', `https://a/${'x'.repeat(500)}`], /http or https/],
  [
    'GATEWAY_CAPTIVE_SUPPORT_URL',
    ['javascript:alert(1)', 'data:,x', 'mailto:', 'tel:', '//a', 'java\nscript:x', `mailto:a@b?c=${'é'.repeat(90)}`],
    /tel/,
  ],
  [
    'GATEWAY_CAPTIVE_SUPPORT_URL',
    [
      ...['https://a.example/{reference}', 'https://{reference}.example/?b', 'mailto:{reference}@a.example'],
      ...['tel:{reference}', 'https://a.example/?b={rule}', 'https://a.example/#{host}', 'tel:1?b={category}'],
      ...['{Reference}', '{destination}', '{{reference}}', '}{reference'].map((one) => `mailto:a@b?subject=${one}`),
    ],
    /placeholders after its first \? or #/,
  ],
  ['GATEWAY_CAPTIVE_SUPPORT_TEXT', ['a\nb', 'x'.repeat(121), 'a\u2028b'], /one line of at most 120/],
  ['GATEWAY_CAPTIVE_BRAND_LOGO', ['a\0b'], /path/],
  ['GATEWAY_CAPTIVE_LOCALE', ['xx', 'EN', 'en,fr'], /en, fr, de, it, es, pt, nl, pl, or ar/],
  ['GATEWAY_TIMEZONE', ['Mars/Olympus', 'Europe', 'utc+', 'Europe/Zürich'], /the name of a time zone, such as/],
  ['GATEWAY_CAPTIVE_SUPPORTED_LOCALES', ['en,xx', 'en,en', 'en,,fr', 'en,', 'EN'], /separated by commas/],
  ['GATEWAY_CAPTIVE_AUP_ENABLED', ['yes', '1', 'TRUE', 'on'], /true or false/],
  ['GATEWAY_CAPTIVE_AUP_PATH', ['a\0b'], /path/],
  ['PRIVACY_POLICY_VERSION', ['a\nb', 'x'.repeat(101)], /one line/],
  ['GATEWAY_CAPTIVE_SSL_BUMP', ['true', 'ON', '1'], /on or off/],
  ['GATEWAY_CAPTIVE_CA_PATH', ['a\0b'], /path/],
  ['GATEWAY_CAPTIVE_RECORD_CLIENT_ADDRESS', ['yes'], /true or false/],
  ['GATEWAY_CAPTIVE_LOG_DESTINATION', ['no'], /true or false/],
  ['GATEWAY_CAPTIVE_LISTEN_HOST', ['0.0.0.0:80', '*'], /host name/],
  ['GATEWAY_CAPTIVE_LISTEN_PORT', ['65536', '-1', '0x50', '80.0', '٨٠'], /from 0 to 65535/],
  ['GATEWAY_CAPTIVE_OPS_HOST', ['[::1]'], /host name/],
  ['GATEWAY_CAPTIVE_OPS_PORT', ['off'], /from 0 to 65535/],
  ['GATEWAY_CAPTIVE_TRUSTED_PROXIES', ['10.0.0.0/33', '::/129', 'nginx', '10.0.0.1,', '10.0.0.1/', '1.2.3/8'], /CIDR/],
  ['GATEWAY_CAPTIVE_RELEASE_TYPE', ['I R', 'ä', 'x'.repeat(33)], /letters/],
]
for (const [name, values, rule] of broken) {
  for (const value of values) {
    test(`rejected: ${name}=${JSON.stringify(value.slice(0, 40))}`, () => {
      const problems = problemsOf({ [name]: value })
      assert.equal(problems.length, 1)
      assert.match(`${problems}`, new RegExp(`^${name} must .*(${rule.source}).*; it is now [^\\n]+$`))
    })
  }
}

for (const name of ['GATEWAY_CAPTIVE_SHARED_SECRET', 'GATEWAY_CAPTIVE_DATABASE_URL', 'GATEWAY_CAPTIVE_SECRET_KEY']) {
  test(`rejected: no ${name}`, () => {
    for (const value of [undefined, '  ']) assert.match(`${problemsOf({ [name]: value })}`, /_FILE; it is now unset$/)
  })
}

test('the message lists every problem once', () => {
  const changes = {
    ...Object.fromEntries(broken.map(([name, [value]]) => [name, value])),
    BRAND_COMPANY_URL: undefined,
  }
  const problems = problemsOf(changes)
  const names = new Set(broken.map(([name]) => name).filter((name) => name !== 'BRAND_COMPANY_URL'))
  assert.deepEqual(new Set(problems.map((problem) => problem.split(' ')[0])), names)
  assert.equal(problems.length, names.size)
  assert.throws(
    () => loadConfig({}),
    (error) =>
      error instanceof ConfigProblems &&
      error.problems.length === 3 &&
      error.message === ['The configuration has 3 problems:', ...error.problems.map((p) => `  ${p}`)].join('\n'),
  )
})

test('a problem does not hide another one that depends on the same variable', () => {
  const problems = problemsOf({ GATEWAY_CAPTIVE_ENV: 'prod', GATEWAY_CAPTIVE_SECRET_KEY: undefined })
  assert.match(problems.join('\n'), /^GATEWAY_CAPTIVE_ENV .*\nGATEWAY_CAPTIVE_SECRET_KEY [^\n]*$/)
})

test('the two listeners differ, unless one of them is off or selects a free port', () => {
  const problem = 'GATEWAY_CAPTIVE_OPS_PORT must differ from GATEWAY_CAPTIVE_LISTEN_PORT; it is now "9000"'
  const withPorts = (listenHost: string, opsHost: string, listenPort = '9000', opsPort = '9000') =>
    problemsOf({
      GATEWAY_CAPTIVE_LISTEN_HOST: listenHost,
      GATEWAY_CAPTIVE_OPS_HOST: opsHost,
      GATEWAY_CAPTIVE_LISTEN_PORT: listenPort,
      GATEWAY_CAPTIVE_OPS_PORT: opsPort,
    })
  for (const [listen, ops, problems] of [
    ['127.0.0.1', '127.0.0.1', [problem]],
    ['0.0.0.0', '127.0.0.1', [problem]],
    ['::', '127.0.0.1', [problem]],
    ['::1', '::', [problem]],
    ['127.0.0.1', 'localhost', [problem]],
    ['10.0.0.1', '127.0.0.1', []],
    ['0.0.0.0', '::1', []],
  ] as const) {
    assert.deepEqual(withPorts(listen, ops), problems)
  }
  assert.deepEqual(withPorts('0.0.0.0', '0.0.0.0', '0', '0'), [])
  assert.deepEqual(withPorts('0.0.0.0', '0.0.0.0', '9000', '9001'), [])
})

test('the default locale is one of the supported ones, also when it is unset', () => {
  assert.deepEqual(problemsOf({ GATEWAY_CAPTIVE_SUPPORTED_LOCALES: 'fr,de' }), [
    'GATEWAY_CAPTIVE_LOCALE must be one of GATEWAY_CAPTIVE_SUPPORTED_LOCALES (fr, de); it is now unset, which means "en"',
  ])
})

test('a problem shows a value on one short line', () => {
  const [problem = ''] = problemsOf({ GATEWAY_CAPTIVE_LISTEN_PORT: `1\n"\u202e\u2028${'x'.repeat(5000)}` })
  assert.match(problem, /; it is now "1\\u\{a\}\\"\\u\{202e\}\\u\{2028\}x+…"$/)
  assert.ok(problem.length < 250)
})
