// [inspection] and [gateway]: what is accepted, and that nothing gets into the proxy's configuration that is not an entry.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_EXEMPTIONS } from '../../../src/engine/proxy-settings/exemptions.ts'
import { overlap, parseHostPattern } from '../../../src/network/host-pattern.ts'
import { configure, policy } from '../running-engine.ts'

const load = (toml: string) => configure(policy(toml)).policy

function problems(toml: string): readonly string[] {
  try {
    load(toml)
    return []
  } catch (error) {
    const [, ...lines] = (error as Error).message.split('\n')
    return lines.map((line) => line.trim().replace(/^policy\.toml:\d+: /, ''))
  }
}

test('without the sections only the hosts that we ship are exempt', () => {
  const { inspection, internal } = load('')
  assert.deepEqual(inspection, {
    ...{ exempt: [], exemptDefaults: DEFAULT_EXEMPTIONS, exemptClients: [] },
    ...{ safesearch: false, youtube: undefined, tenants: [] },
  })
  assert.deepEqual(internal, [])
  assert.deepEqual(load('[inspection]\nexempt_defaults = false').inspection.exemptDefaults, [])
})

test('every mistake is reported with its place', () => {
  const toml = policy(`[inspection]
exempt = ["bank.example/path", "*.bank.example", "*", "bank .example", "a.example\\nb.example"]
exempt_defaults = "yes"
exempt_clients = ["10.0.0.0/33", "0.0.0.0/0", "::/0", "tv.example"]
safesearch = "on"
youtube = "off"
exempt_hosts = []
tenants = [
  { hosts = [], header = "X-Ok", value = "a" },
  { hosts = ["*"], header = "X-Ok", value = "a" },
  { hosts = ["a.example"], header = "Host", value = "a", extra = 1 },
]
[gateway]
internal = ["10.0.0.0/8", "intranet.example"]
external = []`)
  const lineOf = (start: string) => toml.split('\n').findIndex((line) => line.trim().startsWith(start)) + 1
  let found: readonly string[] = []
  try {
    configure(toml)
  } catch (error) {
    found = (error as Error).message.split('\n').slice(1)
  }
  const short = found.map((line) => line.trim().replace(/ must .*; it is now/, ' …'))
  const at = (start: string, thing: string) => `policy.toml:${lineOf(start)}: ${thing}`
  const expected = [
    at('exempt =', 'inspection.exempt[1] … "bank.example/path"'),
    at('exempt =', 'inspection.exempt[2] … "*.bank.example"'),
    at('exempt =', 'inspection.exempt[3] … "*"'),
    at('exempt =', 'inspection.exempt[4] … "bank .example"'),
    at('exempt =', 'inspection.exempt[5] … "a.example\\u{a}b.example"'),
    at('exempt_defaults', 'inspection.exempt_defaults … "yes"'),
    at('exempt_clients', 'inspection.exempt_clients[1] … "10.0.0.0/33"'),
    at('exempt_clients', 'inspection.exempt_clients[2] … "0.0.0.0/0"'),
    at('exempt_clients', 'inspection.exempt_clients[3] … "::/0"'),
    at('exempt_clients', 'inspection.exempt_clients[4] … "tv.example"'),
    at('safesearch', 'inspection.safesearch … "on"'),
    at('youtube', 'inspection.youtube … "off"'),
    at('exempt_hosts', 'inspection.exempt_hosts … a list'),
    at('tenants', 'inspection.tenants[1].hosts … a list'),
    at('tenants', 'inspection.tenants[2].hosts[1] … "*"'),
    at('tenants', 'inspection.tenants[3].header … "Host"'),
    at('tenants', 'inspection.tenants[3].extra … a number'),
    at('internal', 'gateway.internal[2] … "intranet.example"'),
    at('external', 'gateway.external … a list'),
  ]
  assert.deepEqual(short.toSorted(), expected.toSorted())
})

const tenant = (header: string, value: string) =>
  problems(
    `[inspection]\ntenants = [${JSON.stringify({ hosts: 'H', header, value })
      .replace('"H"', '["a.example"]')
      .replaceAll(/"(hosts|header|value)":/g, '$1 = ')}]`,
  )

test('a header is a token that HTTP does not use itself, and a value has no syntax of any configuration', () => {
  const value = '72f988bf-86f1-41af-91ab-2d7cd011db47, contoso.example:a+b/c=;d_e@f'
  for (const header of [
    'Restrict-Access-To-Tenants',
    'X-GoogApps-Allowed-Domains',
    'sec-Restrict-Tenant-Access-Policy',
  ]) {
    assert.deepEqual(tenant(header, value), [], header)
  }
  const headers = ['', 'X:Y', 'X Y', 'X\n', 'X\r\nHost: a', '1X', '-X', 'X_Y', 'Ü', 'X'.repeat(65), '%{x}', '$x']
  const reserved = [
    'host',
    'HOST',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'Cookie',
    'Proxy-Authorization',
  ]
  for (const header of [...headers, ...reserved, 'TE', 'Via', 'X-Forwarded-For']) {
    assert.match(tenant(header, 'a').join(), /^inspection\.tenants\[1\]\.header must be the name of a header/, header)
  }
  const values = [
    '',
    ' ',
    ' a',
    'a ',
    'a  b',
    'a\tb',
    'a\nb',
    'a\r\nX: y',
    'a\0',
    '"a"',
    "a'",
    'a\\',
    '$a',
    '`a`',
    '%a',
    '#a',
  ]
  for (const one of [...values, '{a}', '(a)', '<a>', 'a|b', 'a&b', 'a*', 'ä', '\u2028', 'a'.repeat(1001)]) {
    assert.match(
      tenant('X', one).join(),
      /^inspection\.tenants\[1\]\.value must be a header value/,
      JSON.stringify(one),
    )
  }
})

test('one header is not added twice to a request', () => {
  const tenants = (...hosts: readonly string[]) =>
    problems(
      `[inspection]\ntenants = [${hosts.map((host, at) => `{ hosts = ["x${at}.example", "${host}"], header = "X-${at === 2 ? 'Other' : at === 0 ? 'Tenant' : 'TENANT'}", value = "a" }`).join()}]`,
    )
  assert.deepEqual(tenants('a.example', 'b.example', 'a.example'), [])
  const twice =
    'inspection.tenants[2].hosts must not cover a host of tenants[1], which has the same header; it is now a list'
  assert.deepEqual(tenants('a.example', 'a.example'), [twice])
  assert.deepEqual(tenants('.example.org', 'login.example.org'), [twice])
})

test('the hosts that we ship: each once, none covered by another, none that the proxy must read', () => {
  assert.ok(DEFAULT_EXEMPTIONS.length > 50 && DEFAULT_EXEMPTIONS.length < 150)
  DEFAULT_EXEMPTIONS.forEach((one, index) => {
    assert.ok(
      one.itself && one.path === undefined && one.host.includes('.') && one.host === one.host.toLowerCase(),
      one.text,
    )
    for (const other of DEFAULT_EXEMPTIONS.slice(index + 1))
      assert.ok(!overlap(one, other), `${one.text} ${other.text}`)
  })
  const read = [
    '.youtube.com',
    'youtubei.googleapis.com',
    'youtube.googleapis.com',
    'www.google.com',
    'accounts.google.com',
  ]
  const tenants = [
    'login.microsoftonline.com',
    'login.live.com',
    'login.windows.net',
    '.dropbox.com',
    '.slack.com',
    '.bing.com',
  ]
  for (const text of [...read, ...tenants, 'duckduckgo.com', 'storage.googleapis.com']) {
    const host = parseHostPattern(text)
    assert.ok(host && !DEFAULT_EXEMPTIONS.some((one) => overlap(one, host)), text)
  }
})
