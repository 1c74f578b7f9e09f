// `portal doctor` for a correct deployment on loopback, and for faulty ones.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { after, describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { healthDocument } from '../../src/contract/engine-health.ts'
import type { Finding } from '../../src/gatewayctl/doctor/finding.ts'
import { startPublishing } from '../portal/certificate/published-ca.ts'
import { type MadeCertificate, makeCertificate, makeServed } from '../support/certificates.ts'
import { freePort } from '../support/free-port.ts'
import { keyring, SECRET } from '../support/payloads.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'
import { startSmallTerminator } from '../support/small-terminator.ts'
import { gatewayctl } from './gatewayctl.ts'

const DOCTOR = ['portal', 'doctor']
const ADDRESS = { GATEWAY_CAPTIVE_BASE_URL: 'https://localhost', GATEWAY_CAPTIVE_HOSTNAME: 'localhost' }
/** No portal runs there. */
const NOWHERE = { GATEWAY_CAPTIVE_LISTEN_PORT: '1' }
const ALL = [
  ...['address', 'dns', 'http-redirect', 'http-ca', 'tls', 'health', 'headers'],
  ...['ca-page', 'ca-downloads', 'clock', 'clock-engine', 'secret', 'proxy', 'portal'],
]

interface Ports {
  readonly httpPort: number
  readonly httpsPort: number
}

async function examine({ httpPort, httpsPort }: Ports, env: Readonly<Record<string, string>>) {
  const args = [...DOCTOR, '--json', '--connect-http', `127.0.0.1:${httpPort}`]
  const { status, stdout, stderr } = await gatewayctl([...args, '--connect-https', `127.0.0.1:${httpsPort}`], {
    env: { ...ADDRESS, ...NOWHERE, ENGINE_INTERNAL_URL: '', ...env },
  })
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: readonly Finding[] }
  assert.equal(status, ok ? 0 : 1)
  assert.equal(ok, stderr === '')
  assert.equal(ok, !findings.some(({ state }) => state === 'failing'))
  for (const { state, advice, tried, detail } of findings) {
    assert.ok(tried !== undefined && detail !== '')
    assert.equal(advice !== undefined, state === 'failing')
  }
  return {
    checks: findings.map(({ check }) => check),
    state: (name: string) => findings.find(({ check }) => check === name)?.state,
    detail: (name: string) => findings.find(({ check }) => check === name)?.detail ?? assert.fail(name),
    failing: findings.filter(({ state }) => state === 'failing').map(({ check }) => check),
  }
}

async function listening(t: Pick<TestContext, 'after'>, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

/** A proxy with the test's handler for CONNECT. */
async function startProxy(t: Pick<TestContext, 'after'>, onConnect: (socket: Socket) => void) {
  const proxy = createHttpServer((_, response) => response.writeHead(403).end())
  proxy.on('connect', (_, socket) => onConnect(socket as Socket))
  const port = await listening(t, proxy)
  return `http://127.0.0.1:${port}`
}

describe('portal doctor', { skip: skipWithoutOpenssl }, async () => {
  const { ca, leaf } = makeServed('localhost')
  const other = makeServed('localhost')
  const logo = fileURLToPath(new URL('../../demo/logo.svg', import.meta.url))
  const branded = { ...ADDRESS, GATEWAY_CAPTIVE_BRAND_LOGO: logo }
  const published = await startPublishing({ after } as TestContext, ca.certificate, branded)
  const right = await startSmallTerminator(published.portal.port, leaf)
  after(() => right.close())
  const env = { GATEWAY_CAPTIVE_CA_PATH: published.path }

  test('a correct deployment', async () => {
    const found = await examine(right, env)
    assert.deepEqual(found.failing, [])
    assert.deepEqual(found.checks, ALL)
    for (const name of ALL) {
      const isSkipped = ['clock-engine', 'secret', 'proxy', 'portal'].includes(name)
      assert.equal(found.state(name), isSkipped ? 'skipped' : 'ok', name)
    }
    assert.match(found.detail('tls'), /localhost, issued by Northwind CA/)
  })

  test('it also checks the engine’s clock', async (t) => {
    const engine = createHttpsServer({ cert: leaf.certificate, key: leaf.key }, (_, response) =>
      response
        .setHeader('Date', new Date(Date.now() - 45_000).toUTCString())
        .writeHead(404)
        .end(),
    )
    const port = await listening(t, engine)
    const found = await examine(right, { ...env, ENGINE_INTERNAL_URL: `https://127.0.0.1:${port}` })
    assert.deepEqual(found.failing, ['clock-engine'])
    assert.match(found.detail('clock-engine'), /^4[456] s behind$/)
    const away = await examine(right, { ...env, ENGINE_INTERNAL_URL: `https://127.0.0.1:${await freePort()}` })
    assert.equal(away.state('clock-engine'), 'skipped')
  })

  test('it compares the engine’s key with those of the portal’s secret', async (t) => {
    let health = JSON.stringify(healthDocument(keyring.sealing.kid, { allowed: false, hosts: false }))
    const engine = createHttpsServer({ cert: leaf.certificate, key: leaf.key }, (_, response) => response.end(health))
    const port = await listening(t, engine)
    const known = { ...env, ENGINE_INTERNAL_URL: `https://127.0.0.1:${port}` }
    const good = await examine(right, { ...known, GATEWAY_CAPTIVE_SHARED_SECRET: SECRET })
    assert.deepEqual([good.failing, good.state('secret')], [[], 'ok'])
    const other = { GATEWAY_CAPTIVE_SHARED_SECRET: 'an0ther-secret-of-this-test-0123456789abc' }
    const bad = await examine(right, { ...known, ...other })
    assert.deepEqual(bad.failing, ['secret'])
    assert.match(bad.detail('secret'), /: their shared secrets differ$/)
    const unreadable = await examine(right, known)
    assert.match(unreadable.detail('secret'), /the portal’s shared secret is not known here; root can read it$/)
    health = '{"status":"ok"}'
    const unreported = await examine(right, { ...known, ...other })
    assert.deepEqual([unreported.failing, unreported.state('secret')], [[], 'skipped'])
  })

  test('as text, with advice', async () => {
    const port = await freePort()
    const { status, stdout, stderr } = await gatewayctl(
      [...DOCTOR, '--connect-http', `127.0.0.1:${right.httpPort}`, '--connect-https', `127.0.0.1:${port}`],
      { env: { ...ADDRESS, ...env, ENGINE_INTERNAL_URL: '', GATEWAY_CAPTIVE_HTTPS_PORT: '8443' } },
    )
    assert.equal(status, 1)
    assert.match(
      stdout,
      /^address {7}failing {2}GATEWAY_CAPTIVE_BASE_URL names port 443, but .*_HTTPS_PORT is 8443\n {4}tried: .*\n {4}to do: /m,
    )
    assert.match(stdout, /^http-ca {7}ok {7}the complete page over plain http/m)
    assert.match(
      stdout,
      /^health {8}failing {2}no response from https:\/\/localhost at 127\.0\.0\.1:\d+: ECONNREFUSED$/m,
    )
    assert.match(stderr, /^error: \d of 1\d checks failed\n$/)
    assert.equal(stdout.match(/to do: check that the terminator runs/g)?.length, 1, 'advice is given once')
    assert.match(stdout, /^ {4}to do: as above$/m)
    const advice = stdout.split('\n').filter((line) => line.startsWith(' '))
    assert.deepEqual(
      advice.filter((line) => line.length > 80),
      [],
    )
  })

  test('a leaf of another CA, of another name, or almost expired', async (t) => {
    const now = Math.floor(Date.now() / 1000)
    const signed = (name: string, days: number): MadeCertificate =>
      makeCertificate({
        notBefore: now - 86_400,
        notAfter: now + days * 86_400,
        subject: `/CN=${name}`,
        issuer: ca,
        extensions: ['basicConstraints=CA:FALSE', `subjectAltName=DNS:${name}`],
      })
    for (const [shown, seen] of [
      [other.leaf, /^(SELF_SIGNED|UNABLE)\w+: localhost, issued by Northwind CA/],
      [signed('other.example', 90), /^ERR_TLS_CERT_ALTNAME_INVALID: other\.example/],
      [signed('localhost', 3), /^it expires in [23] days/],
    ] as const) {
      const terminator = await startSmallTerminator(published.portal.port, shown)
      t.after(() => terminator.close())
      const found = await examine(terminator, env)
      assert.deepEqual(found.failing, ['tls'])
      assert.match(found.detail('tls'), seen)
    }
  })

  test('a terminator that changes responses', async (t) => {
    const spoil = (scheme: string) => (incoming: IncomingMessage, outgoing: ServerResponse) => {
      if (scheme === 'http' && incoming.url !== '/ca' && incoming.url !== '/ca.cer') {
        outgoing
          .writeHead(301, { location: `https://${incoming.headers.host}${incoming.url}`, 'set-cookie': 'a=b' })
          .end()
        return
      }
      const onward = request({
        host: '127.0.0.1',
        port: published.portal.port,
        path: incoming.url,
        headers: { 'x-forwarded-proto': scheme },
      })
      onward.on('response', async (response) => {
        const body = Buffer.concat(await response.toArray()).toString('latin1')
        const left = new Set(['x-robots-tag', 'cross-origin-resource-policy', 'content-length'])
        for (const [name, value] of Object.entries(response.headers)) {
          if (!left.has(name)) outgoing.setHeader(name, `${value}`)
        }
        outgoing.setHeader('date', new Date(Date.now() + 600_000).toUTCString())
        outgoing.setHeader('strict-transport-security', 'max-age=1')
        outgoing.appendHeader('content-security-policy', "default-src 'self'")
        outgoing.writeHead(response.statusCode ?? 0)
        outgoing.end(body.replace('</body>', '<script src="/banner.js"></script></body>'), 'latin1')
      })
      onward.end()
    }
    const httpPort = await listening(t, createHttpServer(spoil('http')))
    const httpsPort = await listening(t, createHttpsServer({ cert: leaf.certificate, key: leaf.key }, spoil('https')))
    const found = await examine({ httpPort, httpsPort }, env)
    assert.deepEqual(found.failing, [
      'http-redirect',
      'http-ca',
      'health',
      'headers',
      'ca-page',
      'ca-downloads',
      'clock',
    ])
    assert.match(found.detail('http-redirect'), /\/: 301 instead of 308; \/: it sets a cookie/)
    assert.match(found.detail('http-ca'), /needs further requests.*Strict-Transport-Security/)
    assert.match(found.detail('health'), /Cross-Origin-Resource-Policy/)
    for (const fault of [/x-robots-tag is missing/, /strict-transport-security is unexpected/, /policy is repeated/]) {
      assert.match(found.detail('headers'), fault)
    }
    assert.match(found.detail('ca-downloads'), /http:\/\/localhost\/ca\.crt: 301 instead of 200/)
    assert.match(found.detail('clock'), /^(599|600|601) s ahead$/)
  })

  test('the published certificate differs from the local one, or is missing', async () => {
    const { path, publish } = published
    await publish(other.ca.certificate)
    const elsewhere = { GATEWAY_CAPTIVE_CA_PATH: `${path}.old` }
    writeFileSync(elsewhere.GATEWAY_CAPTIVE_CA_PATH, ca.certificate)
    const found = await examine(right, elsewhere)
    assert.deepEqual(found.failing, ['http-ca', 'ca-page', 'ca-downloads'])
    await publish(ca.certificate)
    const none = await examine(right, { GATEWAY_CAPTIVE_CA_PATH: `${path}.none` })
    assert.deepEqual(none.failing, ['tls', 'ca-page'])
    assert.match(none.detail('ca-page'), /200; here no certificate is published: there is no file/)
    const off = await examine(right, { ...env, GATEWAY_CAPTIVE_SSL_BUMP: 'off' })
    assert.deepEqual(off.failing, ['tls', 'ca-page'])
    assert.match(off.detail('ca-page'), /^200 instead of 404$/)
  })

  test('a proxy in the environment: which server responds for the portal’s host', async (t) => {
    const tunnelTo = (port: number) => (socket: Socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const onward = connect(port, '127.0.0.1')
      socket.pipe(onward).pipe(socket)
      socket.on('error', () => onward.destroy())
      onward.on('error', () => socket.destroy())
    }
    const inspecting = await startSmallTerminator(published.portal.port, other.leaf)
    t.after(() => inspecting.close())
    const proxies = {
      honest: await startProxy(t, tunnelTo(right.httpsPort)),
      inspecting: await startProxy(t, tunnelTo(inspecting.httpsPort)),
      plain: await startProxy(t, (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 302 Found\r\n\r\n')),
      refusing: await startProxy(t, (socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')),
    }
    const password = 'p4ssw0rd'
    const through = (proxy: string, more: Record<string, string> = {}) =>
      examine(right, { ...env, HTTPS_PROXY: proxy.replace('//', `//user:${password}@`), ...more })
    const honest = await through(proxies.honest)
    assert.equal(honest.detail('proxy'), 'the portal itself responds')
    assert.equal(honest.state('proxy'), 'ok')
    const seen = [
      ['inspecting', /^the proxy inspects the portal: a certificate issued by Northwind CA$/],
      ['plain', /^no response from https:\/\/localhost: .*(WRONG_VERSION|PACKET_LENGTH|RECORD)/i],
      ['refusing', /^the proxy responds to CONNECT with 403$/],
    ] as const
    for (const [name, words] of seen) {
      const found = await through(proxies[name])
      assert.deepEqual(found.failing, ['proxy'])
      assert.match(found.detail('proxy'), words)
    }
    const bypassed = await through(proxies.refusing, { NO_PROXY: 'x.example, LOCALHOST:443' })
    assert.match(bypassed.detail('proxy'), /^no_proxy names/)
  })

  test('without variables it says first that it checks the defaults', async () => {
    const [none, blank, one] = await Promise.all(
      [{}, { GATEWAY_CAPTIVE_HOSTNAME: ' ' }, { GATEWAY_CAPTIVE_HTTPS_PORT: '8443' }].map(async (env) => {
        const { stdout } = await gatewayctl([...DOCTOR, '--json', '--connect-https', '127.0.0.1:1'], {
          env: { GATEWAY_CAPTIVE_CA_PATH: '', ...env },
        })
        return (JSON.parse(stdout) as { findings: readonly Finding[] }).findings
      }),
    )
    assert.deepEqual([none?.[0]?.check, none?.[0]?.state], ['variables', 'failing'])
    assert.match(none?.[0]?.detail ?? '', /is set, so these checks are about the defaults: https:\/\/localhost$/)
    assert.deepEqual(blank?.[0]?.check, 'variables')
    assert.ok(!one?.some(({ check }) => check === 'variables'))
  })

  test('misuse', async () => {
    for (const args of [['--connect-http', 'nonsense'], ['--connect-https', 'x:99999'], ['more']]) {
      const { status, stdout } = await gatewayctl([...DOCTOR, ...args])
      assert.deepEqual([status, stdout], [2, ''])
    }
  })
})
