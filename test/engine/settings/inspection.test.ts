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

const tenants = (hosts: string, header = 'X-Ok') =>
  `tenants = [{ hosts = ${hosts}, header = "${header}", value = "a" }]`
/** A line of [inspection], with the key and value of every problem. */
const MISTAKES: readonly (readonly [line: string, ...problems: string[]])[] = [
  ['exempt = ["bank.example/path", "*.bank.example"]', 'exempt[1] "bank.example/path"', 'exempt[2] "*.bank.example"'],
  ['exempt = ["*", "bank .example"]', 'exempt[1] "*"', 'exempt[2] "bank .example"'],
  ['exempt = ["a.example\\nb.example"]', 'exempt[1] "a.example\\u{a}b.example"'],
  ['exempt_defaults = "yes"', 'exempt_defaults "yes"'],
  [
    'exempt_clients = ["10.0.0.0/33", "tv.example"]',
    'exempt_clients[1] "10.0.0.0/33"',
    'exempt_clients[2] "tv.example"',
  ],
  ['exempt_clients = ["0.0.0.0/0", "::/0"]', 'exempt_clients[1] "0.0.0.0/0"', 'exempt_clients[2] "::/0"'],
  ['safesearch = "on"\nyoutube = "off"', 'safesearch "on"', 'youtube "off"'],
  ['exempt_hosts = []', 'exempt_hosts a list'],
  [tenants('[]'), 'tenants[1].hosts a list'],
  [tenants('["*"]'), 'tenants[1].hosts[1] "*"'],
  [tenants('["a.example"]', 'Host'), 'tenants[1].header "Host"'],
  [tenants('["a.example"], extra = 1'), 'tenants[1].extra a number'],
]

test('every mistake is reported', () => {
  const short = (toml: string) => problems(toml).map((line) => line.replace(/ must .*; it is now/, ''))
  for (const [line, ...expected] of MISTAKES) {
    assert.deepEqual(
      short(`[inspection]\n${line}`).toSorted(),
      expected.map((one) => `inspection.${one}`),
      line,
    )
  }
  assert.deepEqual(short('[gateway]\ninternal = ["10.0.0.0/8", "intranet.example"]\nexternal = []').toSorted(), [
    'gateway.external a list',
    'gateway.internal[2] "intranet.example"',
  ])
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
  const reserved =
    'host HOST Content-Length Transfer-Encoding Connection Cookie Proxy-Authorization TE Via X-Forwarded-For'
  const malformed = ['', 'X Y', 'X\n', 'X\r\nHost: a', ...'X:Y 1X -X X_Y Ü %{x} $x'.split(' '), 'X'.repeat(65)]
  for (const header of [...malformed, ...reserved.split(' ')]) {
    assert.match(tenant(header, 'a').join(), /^inspection\.tenants\[1\]\.header must be the name of a header/, header)
  }
  const quoted = '"a" a\' a\\ $a `a` %a #a {a} (a) <a> a|b a&b a* ä \u2028'.split(' ')
  for (const one of [...quoted, '', ' ', ' a', 'a ', 'a  b', 'a\tb', 'a\nb', 'a\r\nX: y', 'a\0', 'a'.repeat(1001)]) {
    assert.match(
      tenant('X', one).join(),
      /^inspection\.tenants\[1\]\.value must be a header value/,
      JSON.stringify(one),
    )
  }
})

test('one header is not added twice to a request', () => {
  const twoTenants = (first: string, second: string, header = 'X-TENANT') =>
    problems(`[inspection]
tenants = [
  { hosts = ["x.example", "${first}"], header = "X-Tenant", value = "a" },
  { hosts = ["y.example", "${second}"], header = "${header}", value = "a" },
]`)
  assert.deepEqual(twoTenants('a.example', 'b.example'), [])
  assert.deepEqual(twoTenants('a.example', 'a.example', 'X-Other'), [])
  const twice =
    'inspection.tenants[2].hosts must not cover a host of tenants[1], which has the same header; it is now a list'
  assert.deepEqual(twoTenants('a.example', 'a.example'), [twice])
  assert.deepEqual(twoTenants('.example.org', 'login.example.org'), [twice])
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
  const read = `.youtube.com youtubei.googleapis.com youtube.googleapis.com www.google.com accounts.google.com
    login.microsoftonline.com login.live.com login.windows.net .dropbox.com .slack.com .bing.com duckduckgo.com
    storage.googleapis.com`
  for (const text of read.split(/\s+/)) {
    const host = parseHostPattern(text)
    assert.ok(host && !DEFAULT_EXEMPTIONS.some((one) => overlap(one, host)), text)
  }
})
