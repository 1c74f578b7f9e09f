// Squid's configuration from settings, what is published and the machine; without Squid, except that it must accept it. What it
// makes Squid do is in checks/gateway/.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { parseAddressRange } from '../../src/network/address-range.ts'
import { loadSettings } from '../../src/proxy/settings/settings.ts'
import { type SquidFilesInput, squidFiles } from '../../src/proxy/squid-files.ts'
import type { Published } from '../../src/published/published.ts'
import { makeServed } from '../support/certificates.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { skipWithoutSquid } from './proxy.ts'

const TEMPLATE = readFileSync(new URL('../../deploy/proxy/squid.conf', import.meta.url), 'utf8')
const folder = temporaryFolder({ after })
const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
const ranges = (...texts: readonly string[]) =>
  texts.map((text) => {
    const range = parseAddressRange(text)
    assert.ok(range !== undefined, text)
    return range
  })

const NOTHING: Published = {
  portalNames: [],
  exemptHosts: [],
  exemptClients: [],
  internal: [],
  safesearch: false,
  youtube: undefined,
  tenants: [],
  ruledHosts: 'every',
}
interface Changes {
  readonly settings?: Readonly<Record<string, string>>
  readonly published?: Partial<Published>
  readonly input?: Partial<SquidFilesInput>
}
const token = file('token', 'a-token-of-the-engine')
const filesOf = ({ settings, published, input }: Changes = {}) =>
  squidFiles({
    template: TEMPLATE,
    settings: loadSettings(
      {
        ...{ PROXY_CLIENTS: '127.0.0.0/8', PROXY_PORTAL: 'https://portal.example', PROXY_ICAP_TOKEN_FILE: token },
        ...settings,
      },
      TEMPLATE,
    ),
    published: { ...NOTHING, ...published },
    machine: { addresses: [], descriptors: 4096 },
    squid: { version: '5.7', certificateGenerator: '/usr/lib/squid/security_file_certgen' },
    folder: '/run/proxy/configuration.0',
    certificateCache: '4MB',
    icapAuthorities: '',
    hostsHelper: ['/usr/bin/node', '/usr/lib/gateway/proxy/ruled-hosts.js'],
    ...input,
  })
const textOf = (name: string, changes?: Changes) => filesOf(changes)[name] ?? ''
/** Lines of squid.conf that begin with this. */
const directives = (start: string, changes?: Changes) =>
  textOf('squid.conf', changes)
    .split('\n')
    .filter((line) => line.startsWith(start))

describe('squid.conf', () => {
  test('every value is filled in', () => {
    assert.doesNotMatch(textOf('squid.conf'), /\$\{[A-Z]|undefined/)
    assert.deepEqual(directives('max_filedescriptors'), ['max_filedescriptors 4096'])
    assert.deepEqual(directives('pid_filename'), ['pid_filename /run/proxy/squid.pid'])
    assert.deepEqual(directives('sslcrtd_program'), ['sslcrtd_program /usr/lib/squid/security_file_certgen'])
    assert.deepEqual(directives('acl connect_ports'), ['acl connect_ports port 443'])
    assert.throws(
      () => filesOf({ input: { template: TEMPLATE.replace('DESCRIPTORS', 'CACHE') } }),
      /unknown value: CACHE/,
    )
  })

  test('a line whose value is not set is omitted', () => {
    const given = {
      PROXY_HOSTS: file('hosts', ''),
      PROXY_INCLUDE: file('include', ''),
      PROXY_ORIGIN_CA: file('ca', ''),
    }
    assert.deepEqual(directives('hosts_file'), [])
    assert.deepEqual(directives(`include ${folder}`), [])
    assert.deepEqual(directives('hosts_file', { settings: given }), [`hosts_file ${given.PROXY_HOSTS}`])
    assert.match(textOf('squid.conf', { settings: given }), new RegExp(`\ninclude ${given.PROXY_INCLUDE}\n$`))
    assert.deepEqual(directives('tls_outgoing', { settings: given }), [
      `tls_outgoing_options min-version=1.2 cafile=${given.PROXY_ORIGIN_CA}`,
    ])
  })

  test('the ICAP service; with TLS, the CAs that verify it', () => {
    assert.deepEqual(directives('icap_service '), [
      'icap_service verdict reqmod_precache icap://127.0.0.1:1344/reqmod bypass=off',
    ])
    const changes = { settings: { PROXY_ICAP: 'icaps://engine/reqmod' }, input: { icapAuthorities: 'CA\n' } }
    assert.deepEqual(directives('icap_service ', changes), [
      'icap_service verdict reqmod_precache icaps://engine/reqmod bypass=off tls-cafile=/run/proxy/configuration.0/icap-authorities.pem',
    ])
    assert.equal(textOf('icap-authorities.pem', changes), 'CA\n')
    assert.equal(textOf('token.conf'), 'adaptation_meta X-Engine-Token a-token-of-the-engine\n')
    assert.doesNotMatch(textOf('squid.conf'), /a-token/)
  })
})

test('no format of a log has a path, a query or a header', () => {
  const formats = directives('logformat ')
  assert.equal(formats.length, 4)
  for (const format of formats) assert.doesNotMatch(format, /[%#"'[/<>]r[up]\b|\}[#"'[/]?[<>]h/)
})

test('ports', () => {
  const settings = {
    PROXY_LISTEN: '3128 127.0.0.1:3129 [::1]:3130',
    PROXY_TRANSPARENT_HTTP: '3131',
    PROXY_TRANSPARENT_HTTPS: '3132',
  }
  const tls =
    'ssl-bump generate-host-certificates=on dynamic_cert_mem_cache_size=0KB tls-cert=/run/gateway/bump/ca.pem options=NO_SSLv3,NO_TLSv1,NO_TLSv1_1'
  assert.deepEqual(textOf('ports.conf', { settings, input: { certificateCache: '0KB' } }).split('\n'), [
    `http_port 3128 name=explicit ${tls}`,
    `http_port 127.0.0.1:3129 name=explicit ${tls}`,
    `http_port [::1]:3130 name=explicit ${tls}`,
    'http_port 3131 intercept name=redirected_http',
    `https_port 3132 intercept name=redirected_https ${tls}`,
    '',
  ])
})

test('networks are canonical, and none is within another', () => {
  const texts = ['10.1.2.3', '192.0.2.77/24', '10.1.0.0/16', '2001:DB8:0::/32', '10.0.0.0/8', '10.1.2.3/32', '9.0.0.1']
  const files = filesOf({
    settings: { PROXY_CLIENTS: texts.join(' ') },
    published: { internal: ranges(...texts), exemptClients: ranges(...texts) },
    input: { machine: { addresses: ranges(...texts), descriptors: 4096 } },
  })
  for (const name of ['clients', 'internal', 'exempt-clients', 'own-addresses']) {
    assert.equal(files[name], '9.0.0.1\n10.0.0.0/8\n192.0.2.0/24\n2001:db8::/32\n', name)
  }
})

test('the portal’s further names; those of this machine open nothing', () => {
  const ofThisMachine = ['localhost', 'a.localhost', '127.0.0.1', '0.0.0.0', '::', '::1']
  const portalNames = ['second.example', 'portal.example', ...ofThisMachine]
  const files = filesOf({ published: { portalNames: [...portalNames, '2001:db8::7', '192.0.2.9'] } })
  assert.equal(files['further-portal-hosts'], '192.0.2.9\n[2001:db8::7]\nsecond.example\n')
  assert.equal(files['all-portal-names']?.split('\n').length, 11)
  assert.equal(filesOf()['all-portal-names'], 'portal.example\n')
})

test('what one address may use, by the version of Squid', () => {
  const limits = (version: string, PROXY_CLIENT_CONNECTIONS: string) =>
    textOf('limits.conf', {
      settings: { PROXY_CLIENT_CONNECTIONS },
      input: { squid: { version, certificateGenerator: '' } },
    })
  assert.match(
    limits('5.7', '100'),
    /^client_request_buffer_max_size 64 MB\nclient_ip_max_connections 200\nacl .* maxconn 100\n/,
  )
  assert.equal(limits('6.12', '0'), 'client_request_buffer_max_size 64 MB\nclient_db off\n')
  for (const version of ['6.13', '6.14-VCS', '7.0.1', '10.2']) {
    assert.match(limits(version, '100'), /^client_request_buffer_max_size 96 KB\n/, version)
  }
})

test('users', () => {
  const PROXY_AUTH = file('auth', 'auth_param basic realm Northwind\n')
  assert.equal(textOf('auth.conf'), '')
  assert.equal(
    textOf('auth.conf', { settings: { PROXY_AUTH } }),
    `include ${PROXY_AUTH}\nacl auth_except src "/run/proxy/configuration.0/auth-except"\nacl users proxy_auth REQUIRED\nhttp_access deny explicit_port !auth_except !users\n`,
  )
  const PROXY_AUTH_EXCEPT = '192.168.50.0/24 ::ffff:192.168.50.7, 2001:db8::/32 ::/0'
  const except = textOf('auth-except', { settings: { PROXY_AUTH, PROXY_AUTH_EXCEPT } }).split('\n')
  assert.deepEqual(except.slice(0, 1), ['192.168.50.0/24'])
  // To Squid, an IPv4 address is in ::/0.
  assert.ok(!except.some((line) => /^(::\/0|::ffff|0\.)/.test(line)), except.join())
  assert.equal(textOf('auth-except'), '')
})

test('Squid accepts it without a warning', { skip: skipWithoutSquid }, () => {
  const run = join(folder, 'run')
  const { ca } = makeServed('unused')
  mkdirSync(join(folder, 'bump'))
  writeFileSync(join(folder, 'bump/ca.pem'), ca.key + ca.certificate)
  mkdirSync(join(run, 'errors'), { recursive: true })
  const version = /Version (\S+)/.exec(execFileSync('squid', ['-v']).toString())?.[1] ?? ''
  const longest = `${'a'.repeat(63)}.`.repeat(3) + 'a'.repeat(61)
  const files = filesOf({
    settings: {
      ...{
        PROXY_PUBLISHED: folder,
        PROXY_RUN: run,
        PROXY_CONNECT_PORTS: '8443',
        PROXY_ACCESS_LOG: 'syslog:daemon.info',
        PROXY_ACCESS_LOG_FORMAT: 'squid',
      },
      PROXY_CLIENTS: Array.from({ length: 2000 }, (_, index) => `10.${index >> 8}.${index & 255}.1`).join(' '),
    },
    published: {
      portalNames: ['second.example', '2001:db8::7'],
      exemptHosts: [
        { host: longest, below: true },
        { host: '-bank.example', below: false },
        { host: '2001:db8::7', below: false },
      ],
      exemptClients: ranges('192.0.2.0/24'),
      internal: ranges('10.0.0.0/8', 'fd00::/8'),
      safesearch: true,
      youtube: 'strict',
      tenants: [{ domain: { host: '-sso.example', below: false }, header: 'H'.repeat(64), value: '%'.repeat(1000) }],
    },
    input: {
      folder,
      machine: { addresses: ranges('192.0.2.1', '2001:db8::1'), descriptors: 4096 },
      squid: { version, certificateGenerator: certificateGenerator() },
      handshakeLog: { port: 4567, token: 'f00d' },
    },
  })
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text)
    // Squid reads a longer line as several.
    for (const line of text.split('\n')) assert.ok(Buffer.byteLength(line) <= 8191, `${name}: ${line}`)
  }
  const arguments_ = ['-k', 'parse', '-n', `files${process.pid}`, '-f', join(folder, 'squid.conf')]
  const { status, stderr } = spawnSync('squid', arguments_, { encoding: 'utf8', timeout: 30_000 })
  assert.equal(status, 0, stderr)
  const expected = /no_suid|use of Via/
  const reported = stderr.split('\n').filter((line) => /WARNING|ERROR|FATAL|unrecognized/.test(line))
  assert.deepEqual(
    reported.filter((line) => !expected.test(line)),
    [],
  )
})

function certificateGenerator(): string {
  const libexec = /'--libexecdir=([^']*)'/.exec(execFileSync('squid', ['-v']).toString())?.[1] ?? '/usr/lib/squid'
  return `${libexec}/security_file_certgen`
}

test('Squid does not ask which hosts are ruled where all are, or where it could not read the path of the helper', () => {
  const HELPER = /^[^#]*(?:ruled|asked)/m
  const some = { ruledHosts: 'some' } as const
  assert.match(textOf('squid.conf', { published: some }), HELPER)
  assert.doesNotMatch(textOf('squid.conf'), HELPER)
  const input = { hostsHelper: ['/usr/bin/node', '/home/my files/ruled-hosts.js'] }
  assert.doesNotMatch(textOf('squid.conf', { published: some, input }), HELPER)
})
