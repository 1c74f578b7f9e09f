// Every wrong setting is reported with its name, all at once, and none can bring a line or a directive into squid.conf.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, describe, test } from 'node:test'
import { rangeText } from '../../src/network/address-range.ts'
import { loadSettings } from '../../src/proxy/settings/settings.ts'
import { ConfigProblems } from '../../src/settings/problems.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const TEMPLATE = readFileSync(new URL('../../deploy/proxy/squid.conf', import.meta.url), 'utf8')
const folder = temporaryFolder({ after })

const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
const pipe = join(folder, 'pipe')
execFileSync('mkfifo', [pipe])
const required = {
  PROXY_CLIENTS: '127.0.0.0/8',
  PROXY_PORTAL: 'https://portal.example',
  PROXY_ICAP_TOKEN_FILE: file('token', 'a-token-of-the-engine\n'),
}
const load = (changes: Readonly<Record<string, string>> = {}) => loadSettings({ ...required, ...changes }, TEMPLATE)

function problemsOf(changes: Readonly<Record<string, string>>): readonly string[] {
  try {
    load(changes)
    return []
  } catch (error) {
    if (error instanceof ConfigProblems) return error.problems
    throw error
  }
}

describe('a wrong value', () => {
  for (const [name, values] of Object.entries({
    PROXY_CLIENTS: [
      ...['', ' ', ',', 'all', '10.0.0.0/33', '10.0.0', '2001:db8::/129', '10.0.0.1;', '1.2.3.4-5', '010.0.0.1'],
      ...['10.0.0.0/8\nhttp_access allow all', '10.0.0.0/08', '!10.0.0.1', '"/etc/passwd"'],
    ],
    PROXY_PORTAL: [
      ...['', 'portal.example', 'ftp://portal.example', 'https://', 'https://.example', 'https://a b.example'],
      ...['https://ä.example', 'https://portal.example:0', 'https://portal.example:99999', 'https://u@portal.example'],
      ...['https://a.example\nhttp_access allow all', 'https://[2001:db8::g]', 'https://[2001:db8::7]x'],
      ...['https://[2001:db8::7/64]', 'https://2001:db8::7', 'https://portal.example.', 'https://portal.example/x'],
    ],
    PROXY_PORTAL_PORTS: ['0', '80 x', '65536', '80,443', '80 443 -1', '80\nx', '080', `${'81 '.repeat(1001)}`],
    PROXY_CONNECT_PORTS: ['0', 'x', '65536', '8443,9443', '8000-9000', '80', '8443 80', '8443;'],
    PROXY_LISTEN: [
      ...['0', '65536', 'x', '1.2.3:3128', 'localhost:3128', '[::g]:3128', '3128 name=x', '10.0.0.0/8:3128'],
      ...['[::1/64]:3128', '::1:3128', '3128;', '[10.0.0.1]:3128', '10.0.0.1', '[::1%lo]:3128', ':3128'],
    ],
    PROXY_TRANSPARENT_HTTP: ['x', '0'],
    PROXY_TRANSPARENT_HTTPS: ['x', '0'],
    PROXY_ICAP: [
      ...['http://127.0.0.1:1344/reqmod', 'icap://127.0.0.1:1344', 'icap://127.0.0.1:1344/', 'icap:///reqmod'],
      ...['icap://127.0.0.1:0/reqmod', 'icap://a b/reqmod', 'icap://a/reqmod bypass=on', 'icap://a/b|c'],
      ...['icap://[::g]/reqmod', 'icap://a/reqmod\nbypass=on', 'icap://u@a/reqmod', 'icap://a/reqmod?x'],
    ],
    PROXY_ICAP_TOKEN_FILE: [
      ...[
        '',
        '/nonexistent',
        folder,
        pipe,
        file('short', 'short'),
        file('strange', 'a token with "quotes" and spaces'),
      ],
      ...[file('two', 'a-token-of-the-engine\nicap_enable-off'), file('long', 'a'.repeat(513)), file('empty', '')],
    ],
    PROXY_PUBLISHED: ['a b', 'a\nb', 'a|b', 'a"b'],
    PROXY_RUN: ['a b', 'a|b', 'a&b'],
    PROXY_ORIGIN_CA: ['/nonexistent', 'a b', folder, pipe],
    PROXY_HOSTS: ['/nonexistent', folder, pipe],
    PROXY_AUTH: ['/nonexistent', 'a b', folder, pipe],
    PROXY_INCLUDE: ['/nonexistent', 'a"b', folder, '/*'],
    PROXY_ACCESS_LOG: [
      ...['on', 'relative/path', '/nonexistent/folder/log', '/dev/stdout', 'syslog:', '/tmp/a b', 'syslog:a b.c'],
      ...[folder, pipe, 'syslog:daemon', `${file('regular', '')}/log`],
    ],
    PROXY_ACCESS_LOG_FORMAT: ['JSON', 'combined', 'squid %ru'],
    PROXY_CLIENT_CONNECTIONS: ['x', '-1', '010', '100000', '1 2'],
    PROXY_IN_CONTAINER: ['true', '1'],
  })) {
    test(name, () => {
      for (const value of values) {
        const problems = problemsOf({ [name]: value })
        assert.equal(problems.length, 1, JSON.stringify(value))
        assert.match(problems[0] ?? '', new RegExp(`^${name} must .*; it is now [^\\n]*$`), JSON.stringify(value))
      }
    })
  }

  test('all at once, each with its own name', () => {
    const problems = problemsOf({
      PROXY_CLIENTS: '',
      PROXY_PORTAL: '',
      GATEWAY_CAPTIVE_BASE_URL: 'portal',
      PROXY_ICAP_TOKEN_FILE: '/nonexistent',
      PROXY_INCLUDE: file('opening.conf', 'icap_enable off\n'),
      PROXY_ACCESS_LOG: folder,
    })
    assert.deepEqual(problems, [
      'GATEWAY_CAPTIVE_BASE_URL must be a URL such as https://portal.example, its host in ASCII (Punycode); it is now "portal"',
      'PROXY_CLIENTS must be set; it is now unset',
      'PROXY_PORTAL must be set, or GATEWAY_CAPTIVE_BASE_URL, or GATEWAY_CAPTIVE_HOSTNAME; it is now unset',
      'PROXY_ICAP_TOKEN_FILE must name a file that can be read (ENOENT); it is now "/nonexistent"',
      `PROXY_INCLUDE must not contain 'icap_enable': it could open what squid.conf closes; it is now "${folder}/opening.conf"`,
      `PROXY_ACCESS_LOG must be a regular file; it is now "${folder}"`,
    ])
  })

  test('a relative path in a working folder whose name Squid could not read', (t) => {
    const former = process.cwd()
    t.after(() => process.chdir(former))
    mkdirSync(join(folder, 'a b'))
    process.chdir(join(folder, 'a b'))
    assert.match(problemsOf({ PROXY_PUBLISHED: 'published' }).join(), /^PROXY_PUBLISHED must be a path of letters/)
  })

  test('the token is never shown', () => {
    assert.doesNotMatch(problemsOf({ PROXY_ICAP_TOKEN_FILE: file('secret', 'my secret value') }).join(), /my secret/)
  })
})

describe('a right value', () => {
  test('defaults', () => {
    const { clients, portal, icapToken, icapTokenFile, ...others } = load()
    assert.deepEqual(clients.map(rangeText), ['127.0.0.0/8'])
    assert.deepEqual([portal.href, icapToken], ['https://portal.example/', 'a-token-of-the-engine'])
    assert.deepEqual(others, {
      portalPorts: [80, 443],
      listen: [{ address: undefined, port: 3128 }],
      transparentHttp: [],
      transparentHttps: [],
      connectPorts: [],
      icap: { url: 'icap://127.0.0.1:1344/reqmod', isTls: false, host: '127.0.0.1', port: 1344 },
      published: '/run/gateway',
      run: '/run/proxy',
      originCa: undefined,
      hosts: undefined,
      auth: undefined,
      include: undefined,
      clientConnections: 1000,
      accessLog: undefined,
      accessLogFormat: 'json',
      isInContainer: false,
    })
  })

  test('the portal’s own variables, where the proxy’s are unset', () => {
    const { PROXY_PORTAL, ...without } = required
    const portal = (env: Readonly<Record<string, string>>) => {
      const { portal: url, portalPorts } = loadSettings({ ...without, ...env }, TEMPLATE)
      return [url.origin, ...portalPorts]
    }
    assert.deepEqual(portal({ GATEWAY_CAPTIVE_HOSTNAME: 'Portal.example' }), ['https://portal.example', 80, 443])
    assert.deepEqual(portal({ GATEWAY_CAPTIVE_HOSTNAME: 'portal.example', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' }), [
      'https://portal.example:8443',
      80,
      8443,
    ])
    assert.deepEqual(
      portal({ GATEWAY_CAPTIVE_BASE_URL: 'http://127.0.0.1:8000/', GATEWAY_CAPTIVE_HOSTNAME: 'portal.example' }),
      ['http://127.0.0.1:8000', 80, 443, 8000],
    )
    assert.deepEqual(
      portal({ PROXY_PORTAL, GATEWAY_CAPTIVE_BASE_URL: 'https://other.example', PROXY_PORTAL_PORTS: '81' }),
      ['https://portal.example', 81, 443],
    )
  })

  test('in every form', () => {
    const settings = load({
      PROXY_CLIENTS: ' 10.0.0.0/8,192.168.0.0/16\t2001:DB8::/32  ::1 ',
      PROXY_PORTAL: 'https://[2001:DB8:0::7]:8443/',
      PROXY_LISTEN: '3128 127.0.0.1:3129 [::1]:3130',
      PROXY_CONNECT_PORTS: '8443 9443 8443',
      PROXY_ICAP: 'icaps://[::1]/reqmod',
      PROXY_PUBLISHED: 'published',
      PROXY_ACCESS_LOG: 'syslog:daemon.info',
      PROXY_IN_CONTAINER: 'yes',
      PROXY_CLIENT_CONNECTIONS: '0',
    })
    assert.deepEqual(settings.clients.map(rangeText), ['10.0.0.0/8', '192.168.0.0/16', '2001:db8::/32', '::1'])
    assert.equal(settings.portal.hostname, '[2001:db8::7]')
    assert.deepEqual(settings.portalPorts, [80, 443, 8443])
    assert.deepEqual(settings.listen, [
      { address: undefined, port: 3128 },
      { address: '127.0.0.1', port: 3129 },
      { address: '::1', port: 3130 },
    ])
    assert.deepEqual(settings.connectPorts, [8443, 9443])
    assert.deepEqual(settings.icap, { url: 'icaps://[::1]/reqmod', isTls: true, host: '::1', port: 11344 })
    assert.equal(settings.published, resolve('published'))
    assert.deepEqual(settings.accessLog, { syslog: 'daemon.info' })
    assert.equal(settings.isInContainer, true)
    assert.equal(settings.clientConnections, 0)
    const log = join(folder, 'access.log')
    assert.deepEqual(load({ PROXY_ACCESS_LOG: log }).accessLog, { file: log })
  })
})
