import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sections } from '../../src/portal/settings/config.ts'
import { unknownNames, variableNames } from '../../src/settings/names.ts'
import { type Changes, load } from './load.ts'

test('what a reader of .env left in a value is a warning, without the value', () => {
  const of = (value: string) => load({ GATEWAY_ORG_NAME: value }).warnings.filter((one) => /ORG_NAME/.test(one))
  for (const [value, says] of [
    ['Northwind # the operator', /^the value of GATEWAY_ORG_NAME contains a comment: .* on its own line$/],
    ['"Northwind"', /^the value of GATEWAY_ORG_NAME is in quotes, .*: remove them$/],
    ["'Northwind'", /is in quotes/],
    [`$\{NAME:-Northwind}`, /^the value of GATEWAY_ORG_NAME contains a name in braces, .*: write the value itself$/],
  ] as const) {
    const [warning = '', ...more] = of(value)
    assert.match(warning, says, value)
    assert.deepEqual(more, [])
    assert.doesNotMatch(warning, /Northwind/)
  }
  for (const value of ['Northwind #5', 'Rock & "Roll"', 'A#B', "Anna's", 'US$ {x}'])
    assert.deepEqual(of(value), [], value)
})

const misspelt: Readonly<Record<string, string>> = {
  GATEWAY_CAPTIVE_ORGNAME: 'GATEWAY_ORG_NAME',
  BRAND_PALLETTE: 'BRAND_PALETTE',
  GATEWAY_BRAND_PALETTE: 'GATEWAY_CAPTIVE_BRAND_PALETTE',
  GATEWAY_CAPTIVE_PALLETTE: 'GATEWAY_CAPTIVE_BRAND_PALETTE',
  GATEWAY_CAPTVE_LOCALE: 'GATEWAY_CAPTIVE_LOCALE',
  gateway_captive_locale: 'GATEWAY_CAPTIVE_LOCALE',
  SUPORTED_LOCALES: 'GATEWAY_CAPTIVE_SUPPORTED_LOCALES',
  DATABASE_URL: 'GATEWAY_CAPTIVE_DATABASE_URL',
  ENGINE_TOKEN: 'ENGINE_API_TOKEN',
  GATEWAY_CAPTIVE_ENGINE_INTERNAL_URL: 'ENGINE_INTERNAL_URL',
  PRIVACY_POLICY_VERSON: 'PRIVACY_POLICY_VERSION',
  // A file for a variable that is not a secret, and transposed characters.
  GATEWAY_CAPTIVE_LOCALE_FILE: 'GATEWAY_CAPTIVE_LOCALE',
  GATEWAY_CAPTIVE_SHRAED_SECRET: 'GATEWAY_CAPTIVE_SHARED_SECRET',
}
for (const [name, meant] of Object.entries(misspelt)) {
  test(`${name} means ${meant}`, () => {
    assert.deepEqual(load({ [name]: 'x' }).warnings, [
      `${name} is not a known variable; the nearest known name is ${meant}`,
    ])
  })
}

test('names that a former release read have no effect', () => {
  const name = 'OTEL_EXPORTER_OTLP_HEADERS_FILE'
  assert.deepEqual(load({ [name]: 'x' }).warnings, [`${name} is not a known variable: it has no effect`])
})

test('names of other programs, of the system and of the deployment cause no warning', () => {
  const others = `
    HOSTNAME LANG LC_ALL LOCALE ENV PORT NODE_ENV NODE_EXTRA_CA_CERTS SSL_CERT_FILE HTTPS_PROXY no_proxy
    CREDENTIALS_DIRECTORY STATE_DIRECTORY MEMORY_PRESSURE_WATCH LISTEN_PID LISTEN_FDNAMES OTEL_EXPORTER_OTLP_TIMEOUT
    ENGINE_SERVICE_HOST ENGINE_PORT_11225_TCP_PORT PORTAL_PORT GATEWAY_PORT_443_TCP ENGINE_COLOUR GATEWAY_LOG_LEVEL
  `
  // What an .env names for compose and the other programs reaches the portal, too.
  const example = readFileSync(new URL('../../deploy/.env.example', import.meta.url), 'utf8')
  const deployment = Array.from(example.matchAll(/^#?([A-Z_]+)=/gm), ([, name = '']) => name)
  assert.ok(deployment.length > 60)
  const env = [...others.trim().split(/\s+/), ...deployment, 'GATEWAY_HOME']
  assert.deepEqual(unknownNames(Object.fromEntries(env.map((name) => [name, 'x'])), variableNames(sections)), [])
})

const warnings: [string, Changes, RegExp | undefined][] = [
  [
    'a line break in a name',
    { 'GATEWAY_CAPTIVE_ENV\n': 'x' },
    /^GATEWAY_CAPTIVE_ENV\\u\{a\} is .* GATEWAY_CAPTIVE_ENV$/,
  ],
  [
    'another host name',
    { GATEWAY_CAPTIVE_HOSTNAME: 'portal.example', GATEWAY_CAPTIVE_BASE_URL: 'https://localhost' },
    /BASE_URL names the host localhost, but .* portal/,
  ],
  [
    'a base URL with the published port',
    { GATEWAY_CAPTIVE_BASE_URL: 'https://localhost:8443', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' },
    undefined,
  ],
  [
    'a base URL with another port',
    { GATEWAY_CAPTIVE_BASE_URL: 'https://localhost:8443' },
    /^GATEWAY_CAPTIVE_BASE_URL names port 8443, but GATEWAY_CAPTIVE_HTTPS_PORT is 443$/,
  ],
  ['the same IPv6 address', { GATEWAY_CAPTIVE_BASE_URL: 'https://[::1]', GATEWAY_CAPTIVE_HOSTNAME: '::1' }, undefined],
  [
    'a base URL in plain http',
    { GATEWAY_CAPTIVE_BASE_URL: 'http://portal.example', GATEWAY_CAPTIVE_HOSTNAME: 'portal.example' },
    /^GATEWAY_CAPTIVE_BASE_URL is plain http to portal\.example/,
  ],
  ['a base URL in plain http on this machine', { GATEWAY_CAPTIVE_BASE_URL: 'http://localhost' }, undefined],
  [
    'an engine in plain http',
    { ENGINE_INTERNAL_URL: 'http://engine:11225' },
    /^ENGINE_INTERNAL_URL is plain http to engine/,
  ],
  ['an engine that only looks local', { ENGINE_INTERNAL_URL: 'http://127.evil.example' }, /plain http/],
  ...['http://127.0.0.1:1', 'http://127.1', 'http://localhost', 'http://[::1]:11225', 'http://engine.localhost'].map(
    (url): [string, Changes, undefined] => [`${url}, which is local`, { ENGINE_INTERNAL_URL: url }, undefined],
  ),
  ['no operator', { GATEWAY_ORG_NAME: ' ' }, /^GATEWAY_ORG_NAME is unset: pages call .* "your network administrator"$/],
  [
    'an empty brand company, its address or not',
    { GATEWAY_ORG_NAME: '', GATEWAY_CAPTIVE_BRAND_COMPANY: '', BRAND_COMPANY_URL: 'https://a.example' },
    /^GATEWAY_ORG_NAME is unset/,
  ],
  ['a brand company', { GATEWAY_ORG_NAME: '', GATEWAY_CAPTIVE_BRAND_COMPANY: 'Muster AG' }, undefined],
  ['no engine', { ENGINE_INTERNAL_URL: '' }, /^ENGINE_INTERNAL_URL is empty: acknowledgements are turned off$/],
]
for (const [name, changes, expected] of warnings) {
  test(`${expected === undefined ? 'no warning' : 'a warning'}: ${name}`, () => {
    const said = load(changes).warnings
    assert.equal(said.length, expected === undefined ? 0 : 1)
    if (expected !== undefined) assert.match(`${said}`, expected)
  })
}
