// Every wrong setting is reported with its name, all at once, and none can bring a line or a directive into squid.conf.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, describe, test } from 'node:test'
import { rangeText } from '../../src/network/address-range.ts'
import { openingDirective } from '../../src/proxy/settings/opening-directives.ts'
import { capitalName, passwordFile } from '../../src/proxy/settings/password-names.ts'
import { directivesFault, loadSettings } from '../../src/proxy/settings/settings.ts'
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
    PROXY_OPAQUE_HOSTS: ['*.app.example', 'app.example,b.example', 'App.example', 'app.example:443', '..a', 'a"b'],
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
      ...['', '/nonexistent', folder, pipe, file('short', 'short'), file('long', 'a'.repeat(513)), file('empty', '')],
      ...[file('strange', 'a token with "quotes"'), file('two', 'a-token-of-the-engine\nicap_enable-off')],
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
    const { clients, portal, icapToken, icapTokenFile, opaqueHosts, ...others } = load()
    assert.deepEqual([opaqueHosts.length, opaqueHosts[0]], [17, { host: 'g.whatsapp.net', below: false }])
    assert.deepEqual(load({ PROXY_OPAQUE_HOSTS: '' }).opaqueHosts, opaqueHosts)
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
      authExcept: [],
      include: undefined,
      clientConnections: 1000,
      accessLog: undefined,
      accessLogFormat: 'json',
      isInContainer: false,
      operator: undefined,
      product: 'Gateway Captive Portal',
      palette: 'indigo',
    })
  })

  test('names and palette of the portal’s pages, for its own', () => {
    const look = (changes: Readonly<Record<string, string>>) => {
      const { operator, product, palette } = load(changes)
      return [operator, product, palette]
    }
    assert.deepEqual(
      look({
        GATEWAY_ORG_NAME: 'Müller & Söhne',
        GATEWAY_CAPTIVE_BRAND_PRODUCT: 'Schulnetz',
        GATEWAY_CAPTIVE_BRAND_PALETTE: 'amber',
      }),
      ['Müller & Söhne', 'Schulnetz', 'amber'],
    )
    const company = { GATEWAY_CAPTIVE_BRAND_COMPANY: 'Muster AG' }
    assert.equal(look({ ...company, GATEWAY_ORG_NAME: '' })[0], 'Muster AG')
    assert.equal(look({ ...company, GATEWAY_ORG_NAME: 'Müller & Söhne' })[0], 'Müller & Söhne')
    assert.equal(look({ GATEWAY_CAPTIVE_BRAND_COMPANY: '' })[0], undefined)
    assert.deepEqual(look({ GATEWAY_ORG_NAME: '', BRAND_PALETTE: 'bsod' }), [
      undefined,
      'Gateway Captive Portal',
      'bsod',
    ])
    assert.deepEqual(look({ GATEWAY_CAPTIVE_BRAND_PALETTE: 'plaid' }), [undefined, 'Gateway Captive Portal', 'indigo'])
    assert.match(problemsOf({ GATEWAY_ORG_NAME: 'two\nlines' }).join(), /^GATEWAY_ORG_NAME must be one line/)
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

// Lines in the operator's own files for Squid.
describe('directives that open what squid.conf closes', () => {
  test('a directive that could open something', () => {
    for (const content of [
      'icap_enable off',
      'icap_service verdict reqmod_precache icap://127.0.0.1:1/ bypass=on',
      'icap_service_failure_limit 1',
      'ecap_enable on',
      'loadable_modules /tmp/a.so',
      'adaptation_access verdict deny all',
      'adaptation_service_set set verdict',
      'adaptation_send_client_ip off',
      'http_access allow all',
      'http_access2 allow all',
      'adapted_http_access allow all',
      'ssl_bump splice all',
      'on_unsupported_protocol tunnel all',
      'http_port 3129',
      'https_port 3130 intercept ssl-bump',
      'ascii_port 3129',
      'ftp_port 2121',
      'sslproxy_cert_error allow all',
      'sslproxy_flags DONT_VERIFY_PEER',
      'tls_outgoing_options flags=DONT_VERIFY_PEER',
      'sslcrtvalidator_program /bin/true',
      'sslcrtd_program /bin/true',
      'url_rewrite_program /bin/true',
      'redirect_program /bin/true',
      'follow_x_forwarded_for allow all',
      'include /tmp/more.conf',
      'configuration_includes_quoted_values on',
    ]) {
      assert.equal(openingDirective(content, TEMPLATE), content.split(' ')[0])
    }
    for (const [content, named] of [
      ['acl clients src 0.0.0.0/0', 'acl clients'],
      ['acl exempt_hosts dstdomain .example', 'acl exempt_hosts'],
      ['acl Exempt_Hosts dstdomain .example', 'acl Exempt_Hosts'],
      ['acl undo annotate_client decrypted=no', 'decrypted=no'],
      ['note ruled_ no all', 'ruled_'],
      ['acl open annotate_transaction ruled_=no', 'ruled_=no'],
      ['acl open annotate_client "ruled_+=no"', '"ruled_+=no"'],
      ['external_acl_type ruled_hosts %DST /bin/true', 'ruled_hosts'],
      // As Squid reads lines.
      ['# a comment\n\n  \ticap_enable\toff', 'icap_enable'],
      ['dns_nameservers 127.0.0.1\r\nicap_enable off\r\n', 'icap_enable'],
      ['icap_\\\n# a comment\n  enable off', 'icap_enable'],
      ['icap_\\\r\nenable off', 'icap_enable'],
      ['if true\nicap_enable off\nendif', 'icap_enable'],
    ] as const) {
      assert.equal(openingDirective(`${content}\n`, TEMPLATE), named, content)
      assert.equal(openingDirective(content, TEMPLATE), named, content)
    }
  })

  test('other directives', () => {
    const content = `# http_access allow all
  dns_nameservers 127.0.0.1 \\
    icap_enable
  cache_peer upstream.example parent 3128 0 no-query default
  cache_peer_access upstream.example allow all
  always_direct allow portal
  acl my_clients src 192.0.2.0/24
  sslcrtd_children 16
  `
    assert.equal(openingDirective(content, TEMPLATE), undefined)
  })

  test('the file is read again after each change', (t) => {
    const path = join(temporaryFolder(t), 'include.conf')
    assert.equal(directivesFault(path, TEMPLATE), 'must name a file that can be read (the system reports ENOENT)')
    writeFileSync(path, 'dns_nameservers 127.0.0.1\n')
    assert.equal(directivesFault(path, TEMPLATE), undefined)
    writeFileSync(path, 'http_port 3129\n')
    assert.equal(directivesFault(path, TEMPLATE), "must not contain 'http_port': it could open what squid.conf closes")
  })
})

describe('names of users in a file of passwords', () => {
  const PROGRAM = 'auth_param basic program /usr/lib/squid/basic_ncsa_auth /etc/gateway/passwords\n'

  test('the file whose names Squid passes in lower case', () => {
    for (const [auth, file] of [
      [PROGRAM, '/etc/gateway/passwords'],
      [PROGRAM.replace('\n', '\r\n'), '/etc/gateway/passwords'],
      ['auth_param  basic\tprogram "/usr/lib/squid/basic_ncsa_auth" "/etc/passwords"\n', '/etc/passwords'],
      [`${PROGRAM}auth_param basic casesensitive off\n`, '/etc/gateway/passwords'],
      [`auth_param basic casesensitive on\n${PROGRAM}`, undefined],
      [`${PROGRAM}auth_param basic casesensitive on\n`, undefined],
      [`auth_param basic casesensitive on\n${PROGRAM}auth_param basic casesensitive off\n`, '/etc/gateway/passwords'],
      [`# ${PROGRAM}`, undefined],
      ['auth_param basic program /usr/lib/squid/basic_ldap_auth -b ou=People /etc/x\n', undefined],
      ['auth_param digest program /usr/lib/squid/basic_ncsa_auth /etc/gateway/passwords\n', undefined],
      ['auth_param basic program basic_ncsa_auth passwords\n', undefined],
      ['', undefined],
    ] as const) {
      assert.equal(passwordFile(auth), file, auth)
    }
  })

  test('the first name with a capital, with what to do', () => {
    const said = (text: string) => capitalName(text, '/etc/passwords', '/etc/auth')
    assert.equal(said('# Of the Staff\nben:x\nana:XYZ\n'), undefined)
    assert.equal(said(''), undefined)
    assert.equal(
      said('# Of the staff\nben:x\nAlice:y\nCarol:z\n'),
      "/etc/passwords, line 3: nobody can sign in as 'Alice': Squid passes names in lower case, however they are typed. Write 'alice', or 'auth_param basic casesensitive on' into /etc/auth",
    )
    assert.match(said('\nJos\u00e9X\u0007:y') ?? '', /line 2: nobody can sign in as 'Jos\?X\?': .* Write 'jos\?x\?'/)
    assert.match(said(`${'A'.repeat(100)}:y`) ?? '', /sign in as 'A{64}':/)
  })
})
