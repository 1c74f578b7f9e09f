// `proxy doctor` and `proxy status` for the gateway as it ships, and for gateways with a fault of each kind.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { DAY_MS, startPublishing } from '../../test/engine/publishing.ts'
import { gatewayctl } from '../../test/gatewayctl/gatewayctl.ts'
import { skipWithoutGateway } from '../../test/proxy/proxy.ts'
import { freePort } from '../../test/support/free-port.ts'
import { listen } from '../../test/support/listen.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { accepts } from '../../test/support/servers.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'
import { EXEMPT, examine, STOPPED, startExamined, UNTRUSTED } from './examined.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const ALL = [
  ...['proxy', 'version', 'decrypts', 'proxy-ca', 'uses-engine', 'this-engine', 'secret', 'database'],
  ...['lists', 'journal'],
  ...['fails-closed', 'stops', 'portal', 'exempt', 'verifies', 'denies-local', 'denies-manager', 'denies-ports'],
  ...['clock-proxy', 'clock-portal', 'clock-engine'],
]
const IN_STATUS = ['proxy', 'version', 'uses-engine', 'this-engine', 'secret', 'database', 'lists', 'proxy-ca']
const HOUR_MS = 3_600_000
const TRY_ALL = ['--stopped', STOPPED, '--untrusted', `https://${UNTRUSTED}/`]

describe('the gateway as it ships', { skip: skipWithoutGateway, timeout: 120_000 }, async () => {
  if (skipWithoutGateway) return
  const gateway = await startExamined({ after })

  test('everything is good', async () => {
    const { ok, status, stderr, checks, findings, detail } = await examine(gateway, { args: TRY_ALL })
    assert.deepEqual(
      findings.filter(({ state }) => state !== 'ok'),
      [],
    )
    assert.deepEqual([ok, status, stderr, checks], [true, 0, '', ALL])
    assert.match(detail('decrypts'), /issued by .*Proxy CA .*, under the published CA$/)
    assert.match(detail('proxy-ca'), /: (29|30) days left, until /)
    assert.match(detail('stops'), /^302 to a page of https:\/\/localhost:\d+, which opens$/)
    assert.equal(detail('exempt'), `${EXEMPT} has its own certificate, issued by CA of the sites`)
    assert.equal(detail('verifies'), '503 (ERR_SECURE_CONNECT_FAIL)')
    assert.equal(detail('fails-closed'), 'bypass=off')
    assert.deepEqual(gateway.sites.received, [], 'no site has received a request')
  })

  test('from a machine without the files of proxy and engine, the rest is skipped, and says why', async () => {
    const { GATEWAY_CAPTIVE_CA_PATH, PROXY_PORTAL, PROXY_PORTAL_PORTS } = gateway.env
    const { failing, skipped, detail, findings } = await examine({
      env: { GATEWAY_CAPTIVE_CA_PATH, PROXY_PORTAL, PROXY_PORTAL_PORTS, PROXY_RUN: '/nowhere' },
      options: ['--proxy', `127.0.0.1:${gateway.port}`],
    })
    assert.deepEqual(failing, [], JSON.stringify(findings))
    assert.deepEqual(skipped, [
      ...['version', 'this-engine', 'secret', 'database', 'lists', 'journal', 'fails-closed', 'stops', 'exempt'],
      ...['verifies', 'clock-engine'],
    ])
    assert.match(detail('this-engine'), /no token was found/)
    assert.match(detail('fails-closed'), /^there is no file \/nowhere\/squid\.conf; run this on the proxy’s machine/)
    assert.match(detail('verifies'), /; --untrusted https:/)
    assert.match(detail('decrypts'), /; not compared with bump\/ca\.pem: there is no file/)
  })

  test('a proxy that signs with another CA', async (t) => {
    const other = await startPublishing(t)
    await other.publish()
    const env = { PROXY_PUBLISHED: other.folder, GATEWAY_CAPTIVE_CA_PATH: other.path('ca/ca.crt') }
    const ca = ['--ca-file', gateway.env.GATEWAY_CAPTIVE_CA_PATH]
    const { status, failing, detail, advice } = await examine(gateway, { args: ca, env })
    assert.deepEqual([status, failing.includes('decrypts')], [1, true])
    assert.match(
      detail('decrypts'),
      /instead of one that leads to the published CA: .*instead of the published .*Proxy CA /,
    )
    assert.match(advice('decrypts'), /squid -k reconfigure/)
  })

  test('a CA that nobody renews, and clocks that are an hour ahead', async () => {
    const late = await examine(gateway, { clock: () => Date.now() + 20 * DAY_MS })
    assert.ok(late.failing.includes('proxy-ca'))
    assert.match(late.detail('proxy-ca'), /: (9|10) days left, .*; the engine renews it when 20 are left$/)
    const { failing, detail } = await examine(gateway, { clock: () => Date.now() - HOUR_MS })
    assert.deepEqual(failing, ['clock-proxy', 'clock-portal', 'clock-engine'])
    for (const name of failing) assert.match(detail(name), /^(3599|3600|3601) s ahead$/)
  })

  test('a portal with another shared secret', async () => {
    const env = { GATEWAY_CAPTIVE_SHARED_SECRET: 'an0ther-secret-of-this-test-0123456789abc' }
    const { failing, detail, advice } = await examine(gateway, { env })
    assert.deepEqual(failing, ['secret'])
    assert.match(detail('secret'), /: their shared secrets differ$/)
    assert.match(advice('secret'), /^give engine and portal the same shared secret/)
    const status = await gatewayctl(['proxy', 'status', ...gateway.options], { env: { ...gateway.env, ...env } })
    assert.equal(status.status, 1)
    assert.match(status.stdout, /^secret +failing +the engine seals with the key/m)
  })

  test('an exempt host that is decrypted, or that the policy stops', async () => {
    const { failing, detail } = await examine(gateway, { args: ['--exempt', UNTRUSTED] })
    assert.deepEqual([failing, detail('exempt')], [['exempt'], `the proxy decrypts ${UNTRUSTED}`])
    const stopped = await examine(gateway, { args: ['--exempt', new URL(STOPPED).hostname] })
    assert.ok(stopped.skipped.includes('exempt'))
    assert.match(stopped.detail('exempt'), /casino\.example: 403 for CONNECT/)
  })

  test('while Squid reads its configuration again, its closed port is tried again', async () => {
    process.kill(gateway.squidPid(), 'SIGHUP')
    await until(async () => !(await accepts(gateway.port)), 5, 1).catch(() => {})
    const { failing, findings } = await examine(gateway)
    assert.deepEqual(failing, [], JSON.stringify(findings))
  })

  test('status', async () => {
    const { status, stdout, stderr } = await gatewayctl(['proxy', 'status', ...gateway.options], gateway)
    assert.deepEqual([status, stderr], [0, ''])
    assert.deepEqual(stdout.match(/^\S+(?= +ok\b)/gm), IN_STATUS)
    assert.match(
      stdout,
      /^this-engine +ok +https:\/\/127\.0\.0\.1:\d+ decides; [\d,]+ decisions? for proxies since its start$/m,
    )
    assert.match(stdout, /^secret +ok +the engine seals with the key [\w-]{8}, which the portal opens$/m)
  })

  test('without an engine nothing goes through, and that is detail', async (t) => {
    t.after(() => gateway.engine.restart())
    await gateway.engine.kill('SIGKILL')
    const { failing, skipped, detail, advice } = await examine(gateway, { env: { PROXY_RUN: '/nowhere' } })
    assert.deepEqual(failing, [
      ...['uses-engine', 'this-engine', 'secret', 'database', 'lists', 'journal', 'stops', 'clock-engine'],
    ])
    assert.deepEqual(skipped, ['version', 'exempt', 'verifies'])
    assert.match(
      detail('uses-engine'),
      /^http: 500 \(ERR_ICAP_FAILURE\) instead of .*; https: 500 \(ERR_ICAP_FAILURE\) /,
    )
    assert.match(advice('uses-engine'), /^start the engine/)
    assert.equal(detail('fails-closed'), '500: no request passes')
    const { status, stdout } = await gatewayctl(['proxy', 'status', ...gateway.options], gateway)
    assert.equal(status, 1)
    assert.deepEqual(stdout.match(/^\S+(?= +failing\b)/gm), [
      'uses-engine',
      'this-engine',
      'secret',
      'database',
      'lists',
    ])
  })
})

test('a gateway with every other fault', { skip: skipWithoutGateway, timeout: 60_000 }, async (t) => {
  const gateway = await startExamined(t, {
    edit: (shipped) =>
      shipped
        .replace('http_access deny manager', 'http_access allow all')
        .replace(/^adapted_http_access deny .*$/gm, '')
        .replace('adaptation_access verdict allow all', 'adaptation_access verdict deny all')
        .replace(/^(icap_service .*)bypass=off/m, '$1bypass=on')
        .replace(/^ssl_bump (?:splice|peek|terminate) .*$/gm, '')
        .replace('sslproxy_cert_error deny all', 'sslproxy_cert_error allow all'),
  })
  const { failing, detail, advice } = await examine(gateway, { args: TRY_ALL })
  assert.deepEqual(failing, [
    ...['uses-engine', 'this-engine', 'fails-closed', 'stops', 'portal', 'exempt', 'verifies'],
    ...['denies-local', 'denies-manager', 'denies-ports'],
  ])
  assert.match(advice('uses-engine'), /icap_enable on/)
  assert.match(detail('this-engine'), /of no engine$/)
  assert.match(detail('fails-closed'), /has bypass=on instead of bypass=off/)
  assert.match(detail('stops'), /^50[23] \(ERR_\w+\) instead of a redirect to https:\/\/localhost:/)
  assert.match(detail('portal'), /the proxy decrypts it: a certificate issued by .*Proxy CA/)
  assert.equal(detail('exempt'), `the proxy decrypts ${EXEMPT}, casino.example`)
  assert.equal(detail('verifies'), '200 instead of 503 (ERR_SECURE_CONNECT_FAIL)')
  assert.match(detail('denies-local'), /http:\/\/127\.0\.0\.1\/: 503 \(ERR_CONNECT_FAIL\) instead of 403/)
  assert.match(detail('denies-local'), /CONNECT 127\.0\.0\.1:443: 503/)
  assert.match(detail('denies-manager'), /menu: 200 instead of 403/)
  assert.match(detail('denies-ports'), /CONNECT gatewayctl-[0-9a-f]+\.invalid:22: 50[023]/)
  const { detail: configured } = await examine(gateway)
  assert.equal(configured('verifies'), 'sslproxy_cert_error allow all')
})

test('a gateway with users that decrypts nothing', { skip: skipWithoutGateway, timeout: 60_000 }, async (t) => {
  const folder = temporaryFolder(t)
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const check = 'while read -r name password; do [ "$name $password" = "anna right" ] && echo OK || echo ERR; done'
  const program = file('check', check)
  const gateway = await startExamined(t, {
    edit: (shipped) => shipped.replace(/^ssl_bump bump .*$/gm, 'ssl_bump splice all'),
    settings: {
      PROXY_AUTH: file('auth', `auth_param basic program /bin/sh ${program}\nauth_param basic children 1\n`),
    },
  })
  const without = await examine(gateway)
  assert.deepEqual([without.checks, without.detail('proxy')], [['proxy'], '407: the proxy requires a user'])
  const wrong = await examine(gateway, { args: ['--credentials', file('wrong', 'anna:wrong')] })
  assert.deepEqual([wrong.checks, wrong.detail('proxy')], [['proxy'], '407: the proxy rejects these credentials'])
  const right = await examine(gateway, { args: ['--credentials', file('right', 'anna:right\n')] })
  assert.deepEqual(right.failing, ['decrypts', 'uses-engine'])
  assert.match(right.advice('decrypts'), /ssl_bump bump/)
})

test('no proxy, or one that does not serve this machine, is one finding', async (t) => {
  const refusing = createServer((_, response) => response.writeHead(403).end())
  refusing.on('connect', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'))
  const port = await listen(t, refusing)
  const denied = await examine({ env: { PROXY_LISTEN: `${port}` }, options: [] })
  assert.deepEqual([denied.checks, denied.failing], [['proxy'], ['proxy']])
  assert.match(denied.advice('proxy'), /PROXY_CLIENTS/)
  const none = `127.0.0.1:${await freePort()}`
  const { status, stdout, stderr } = await gatewayctl(['proxy', 'doctor', '--proxy', none])
  assert.equal(status, 1)
  assert.match(stdout, /^variables +failing +no variable .* is set, .*: the proxy 127\.0\.0\.1:\d+ and the portal /)
  assert.match(stdout, /^proxy +failing +no response .*ECONNREFUSED\n {4}tried: .*\n {4}to do: start the proxy/m)
  assert.equal(stderr, 'error: 2 of 2 checks failed\n')
})

test('misuse', async () => {
  for (const args of [
    ['--proxy', 'nonsense'],
    ['--stopped', 'casino.example'],
    ['--untrusted', 'http://site.example/'],
    ['--exempt', 'a b'],
    ['--credentials', '/nowhere'],
    ['--credentials', '/etc/hostname'],
    ['more'],
  ]) {
    const { status, stdout } = await gatewayctl(['proxy', 'doctor', ...args])
    assert.deepEqual([status, stdout], [2, ''], args.join(' '))
  }
  for (const PROXY_LISTEN of ['x:y', '3128 0', '127.0.0.1']) {
    const { status, stderr } = await gatewayctl(['proxy', 'status'], { env: { PROXY_LISTEN } })
    assert.equal(status, 2)
    assert.match(stderr, /PROXY_LISTEN must be ADDRESS:PORT or PORT, several separated by spaces/)
  }
})
