// deploy/proxy/start rejects every wrong setting with its name and status 2, before Squid reads anything of it; it waits
// for the engine, and says for what.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { makeServed } from '../support/certificates.ts'
import { freePort } from '../support/free-port.ts'
import { accepts } from '../support/servers.ts'
import { until } from '../support/until.ts'
import { skipWithoutSquid } from './proxy.ts'

const START = fileURLToPath(new URL('../../deploy/proxy/start', import.meta.url))

describe('start', { skip: skipWithoutSquid, timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-start-'))
  after(() => rmSync(folder, { recursive: true }))
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const settings = {
    PATH: process.env.PATH,
    PROXY_CLIENTS: '127.0.0.0/8',
    PROXY_PORTAL: 'https://portal.example',
    PROXY_ICAP_TOKEN_FILE: file('token', 'a-token-of-the-engine'),
    PROXY_PUBLISHED: join(folder, 'published'),
    PROXY_RUN: join(folder, 'run'),
  }
  const short = file('short', 'short')
  const strange = file('strange', 'a token with "quotes" and spaces')

  for (const [name, values] of Object.entries({
    PROXY_CLIENTS: [
      '',
      ' ',
      'all',
      '10.0.0.0/33',
      '10.0.0',
      '2001:db8::/129',
      '10.0.0.1;',
      '10.0.0.0/8\nhttp_access allow all',
      '1.2.3.4-5',
    ],
    PROXY_PORTAL: [
      '',
      'portal.example',
      'ftp://portal.example',
      'https://',
      'https://.example',
      'https://a b.example',
      'https://ä.example',
      'https://portal.example:0',
      'https://portal.example:99999',
      'https://u@portal.example',
      'https://a.example\nhttp_access allow all',
      'https://[2001:db8::g]',
      'https://[2001:db8::7]x',
      'https://[2001:db8::7/64]',
      'https://2001:db8::7',
    ],
    PROXY_PORTAL_PORTS: ['0', '80 x', '65536', '80,443', '80 443\n1'.replace('\n1', ' -1')],
    // Nothing on port 80 is encrypted.
    PROXY_CONNECT_PORTS: ['0', 'x', '65536', '8443,9443', '8000-9000', '80', '8443 80', '8443;'],
    PROXY_LISTEN: [
      ' ',
      '0',
      '65536',
      'x',
      '1.2.3:3128',
      'localhost:3128',
      '[::g]:3128',
      '3128 name=x',
      '10.0.0.0/8:3128',
      '[::1/64]:3128',
      '::1:3128',
      '3128;',
    ],
    PROXY_TRANSPARENT_HTTP: ['x', '0'],
    PROXY_TRANSPARENT_HTTPS: ['x', '0'],
    PROXY_ICAP: [
      'http://127.0.0.1:1344/reqmod',
      'icap://127.0.0.1:1344',
      'icap://127.0.0.1:1344/',
      'icap:///reqmod',
      'icap://127.0.0.1:0/reqmod',
      'icap://a b/reqmod',
      'icap://a/reqmod bypass=on',
      'icap://a/b|c',
    ],
    PROXY_ICAP_TOKEN_FILE: ['', '/nonexistent', folder, short, strange],
    PROXY_PUBLISHED: ['a b', 'a\nb', 'a|b', 'a"b'],
    PROXY_RUN: ['a b', 'a|b', 'a&b'],
    PROXY_ORIGIN_CA: ['/nonexistent', 'a b'],
    PROXY_HOSTS: ['/nonexistent', folder],
    PROXY_AUTH: ['/nonexistent', 'a b'],
    PROXY_INCLUDE: ['/nonexistent', 'a"b'],
    PROXY_ACCESS_LOG: [
      'on',
      'relative/path',
      '/nonexistent/folder/log',
      '/dev/stdout',
      'syslog:',
      '/tmp/a b',
      'syslog:a b.c',
    ],
    PROXY_CLIENT_CONNECTIONS: ['x', '-1', '010', '100000', '1 2'],
    PROXY_IN_CONTAINER: ['true', '1'],
  })) {
    test(`${name}`, () => {
      for (const value of values) {
        const { status, stderr } = spawnSync(START, {
          env: { ...settings, [name]: value },
          encoding: 'utf8',
          timeout: 10_000,
        })
        assert.equal(status, 2, `${JSON.stringify(value)}: ${stderr}`)
        assert.match(stderr, new RegExp(`^proxy: ${name}\\b.*$`, 'm'), JSON.stringify(value))
      }
    })
  }

  test('PROXY_INCLUDE with a directive that could open something', () => {
    for (const [content, named] of [
      ['icap_enable off', 'icap_enable'],
      ['icap_service verdict reqmod_precache icap://127.0.0.1:1/ bypass=on', 'icap_service'],
      ['icap_service_failure_limit 1', 'icap_service_failure_limit'],
      ['ecap_enable on', 'ecap_enable'],
      ['loadable_modules /tmp/a.so', 'loadable_modules'],
      ['adaptation_access verdict deny all', 'adaptation_access'],
      ['adaptation_service_set set verdict', 'adaptation_service_set'],
      ['adaptation_send_client_ip off', 'adaptation_send_client_ip'],
      ['http_access allow all', 'http_access'],
      ['http_access2 allow all', 'http_access2'],
      ['adapted_http_access allow all', 'adapted_http_access'],
      ['ssl_bump splice all', 'ssl_bump'],
      ['on_unsupported_protocol tunnel all', 'on_unsupported_protocol'],
      ['http_port 3129', 'http_port'],
      ['https_port 3130 intercept ssl-bump', 'https_port'],
      ['ascii_port 3129', 'ascii_port'],
      ['ftp_port 2121', 'ftp_port'],
      ['sslproxy_cert_error allow all', 'sslproxy_cert_error'],
      ['sslproxy_flags DONT_VERIFY_PEER', 'sslproxy_flags'],
      ['tls_outgoing_options flags=DONT_VERIFY_PEER', 'tls_outgoing_options'],
      ['sslcrtvalidator_program /bin/true', 'sslcrtvalidator_program'],
      ['sslcrtd_program /bin/true', 'sslcrtd_program'],
      ['url_rewrite_program /bin/true', 'url_rewrite_program'],
      ['redirect_program /bin/true', 'redirect_program'],
      ['follow_x_forwarded_for allow all', 'follow_x_forwarded_for'],
      ['acl clients src 0.0.0.0/0', 'acl clients'],
      ['acl exempt_hosts dstdomain .example', 'acl exempt_hosts'],
      ['include /tmp/more.conf', 'include'],
      // As Squid reads lines.
      ['# a comment\n\n  \ticap_enable\toff', 'icap_enable'],
      ['dns_nameservers 127.0.0.1\r\nicap_enable off\r\n', 'icap_enable'],
      ['icap_\\\n# a comment\n  enable off', 'icap_enable'],
      ['if true\nicap_enable off\nendif', 'icap_enable'],
    ] as const) {
      const { status, stderr } = spawnSync(START, {
        env: { ...settings, PROXY_INCLUDE: file('include.conf', `${content}\n`) },
        encoding: 'utf8',
        timeout: 10_000,
      })
      assert.equal(status, 2, `${content}: ${stderr}`)
      assert.equal(stderr, `proxy: PROXY_INCLUDE must not contain '${named}': it could open what squid.conf closes\n`)
    }
  })

  test('PROXY_AUTH with a directive that could open something', () => {
    const auth = file('open-auth.conf', 'auth_param basic program /bin/true\nhttp_access allow all\n')
    const { status, stderr } = spawnSync(START, {
      env: { ...settings, PROXY_AUTH: auth },
      encoding: 'utf8',
      timeout: 10_000,
    })
    assert.equal(status, 2, stderr)
    assert.equal(stderr, "proxy: PROXY_AUTH must not contain 'http_access': it could open what squid.conf closes\n")
  })

  test('PROXY_INCLUDE with other directives', async (t) => {
    const content = `# http_access allow all
dns_nameservers 127.0.0.1 \\
  icap_enable
cache_peer upstream.example parent 3128 0 no-query default
cache_peer_access upstream.example allow all
always_direct allow portal
acl my_clients src 192.0.2.0/24
sslcrtd_children 16
`
    const { logged, stop } = await started({ PROXY_INCLUDE: file('harmless.conf', content) })
    t.after(stop)
    await logged(/waiting for /)
  })

  async function started(more: Readonly<Record<string, string>>) {
    const child = spawn(START, { env: { ...settings, ...more }, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
    let log = ''
    child.stderr.on('data', (chunk) => {
      log += chunk
    })
    const closed = once(child, 'close')
    const stop = async () => {
      const fallback = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), 10_000)
      child.kill('SIGTERM')
      const [status] = await closed
      clearTimeout(fallback)
      return status
    }
    return {
      child,
      closed,
      stop,
      logged: (pattern: RegExp) => until(() => pattern.test(log)).catch(() => assert.match(log, pattern)),
    }
  }

  test('it waits for the CA, then for an engine that answers OPTIONS, then listens', async (t) => {
    const port = await freePort()
    const engine = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', (data) =>
        socket.end(
          isReady && /^OPTIONS icap:/.test(`${data}`)
            ? 'ICAP/1.0 200 OK\r\nMethods: REQMOD\r\nISTag: "a"\r\n\r\n'
            : 'ICAP/1.0 503 Busy\r\n\r\n',
        ),
      )
    })
    let isReady = false
    engine.listen(0, '127.0.0.1')
    await once(engine, 'listening')
    t.after(() => engine.close())
    const { port: icapPort } = engine.address() as { port: number }
    const { logged, stop } = await started({
      PROXY_LISTEN: `127.0.0.1:${port}`,
      PROXY_ICAP: `icap://127.0.0.1:${icapPort}/reqmod`,
    })
    t.after(stop)
    await logged(/waiting for \S+\/bump\/ca\.pem, which the engine publishes/)
    const { ca } = makeServed('unused')
    mkdirSync(join(settings.PROXY_PUBLISHED, 'bump'), { recursive: true })
    writeFileSync(join(settings.PROXY_PUBLISHED, 'bump/ca.pem'), ca.key + ca.certificate)
    await logged(/waiting for the engine's ICAP service at icap:/)
    assert.ok(!(await accepts(port)))
    isReady = true
    await logged(/tenants is missing, and is treated as empty/)
    await logged(new RegExp(`listening on 127\\.0\\.0\\.1:${port}`))
    // Squid logs it just before it listens.
    await until(() => accepts(port))
    assert.equal(await stop(), 0)
  })

  test('SIGTERM while it waits', async () => {
    const { logged, stop } = await started({ PROXY_PUBLISHED: join(folder, 'nothing') })
    await logged(/waiting for /)
    assert.equal(await stop(), 0)
  })
})
