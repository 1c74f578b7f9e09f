// `portal doctor` for a correct deployment on loopback, and for faulty ones.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { after, describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { healthDocument } from '../../src/contract/engine-health.ts'
import type { Finding } from '../../src/gatewayctl/doctor/finding.ts'
import { startPublishing } from '../portal/certificate/published-ca.ts'
import { type MadeCertificate, makeCertificate, makeServed } from '../support/certificates.ts'
import { freePort } from '../support/free-port.ts'
import { listen } from '../support/listen.ts'
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

/** A proxy with the test's handler for CONNECT. @returns its URL, with a password */
async function startProxy(t: TestContext, onConnect: (socket: Socket) => void) {
  const proxy = createHttpServer((_, response) => response.writeHead(403).end())
  proxy.on('connect', (_, socket) => onConnect(socket as Socket))
  return `http://user:p4ssw0rd@127.0.0.1:${await listen(t, proxy)}`
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

  test('it compares the engine’s clock, and its key with those of the portal’s secret', async (t) => {
    let health = JSON.stringify(healthDocument(keyring.sealing.kid, { allowed: false, hosts: false }))
    let behind = 0
    const engine = createHttpsServer({ cert: leaf.certificate, key: leaf.key }, (_, response) => {
      response.setHeader('Date', new Date(Date.now() - behind).toUTCString()).end(health)
    })
    const known = { ...env, ENGINE_INTERNAL_URL: `https://127.0.0.1:${await listen(t, engine)}` }
    const good = await examine(right, { ...known, GATEWAY_CAPTIVE_SHARED_SECRET: SECRET })
    assert.deepEqual([good.failing, good.state('secret'), good.state('clock-engine')], [[], 'ok', 'ok'])
    behind = 45_000
    const other = { ...known, GATEWAY_CAPTIVE_SHARED_SECRET: 'an0ther-secret-of-this-test-0123456789abc' }
    const bad = await examine(right, other)
    assert.deepEqual(bad.failing, ['clock-engine', 'secret'])
    assert.match(bad.detail('clock-engine'), /^4[456] s behind$/)
    assert.match(bad.detail('secret'), /: their shared secrets differ$/)
    const unreadable = await examine(right, known)
    assert.match(unreadable.detail('secret'), /the portal’s shared secret is not known here; root can read it$/)
    health = '{"status":"ok"}'
    assert.equal((await examine(right, other)).state('secret'), 'skipped')
    const away = await examine(right, { ...env, ENGINE_INTERNAL_URL: `https://127.0.0.1:${await freePort()}` })
    assert.equal(away.state('clock-engine'), 'skipped')
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
    for (const line of stdout.match(/^ .*$/gm) ?? []) assert.ok(line.length <= 80, line)
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
        const location = `https://${incoming.headers.host}${incoming.url}`
        outgoing.writeHead(301, { location, 'set-cookie': 'a=b' }).end()
        return
      }
      const headers = { 'x-forwarded-proto': scheme }
      const onward = request({ host: '127.0.0.1', port: published.portal.port, path: incoming.url, headers })
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
    const httpPort = await listen(t, createHttpServer(spoil('http')))
    const httpsPort = await listen(t, createHttpsServer({ cert: leaf.certificate, key: leaf.key }, spoil('https')))
    const found = await examine({ httpPort, httpsPort }, env)
    const expected = {
      'http-redirect': [/\/: 301 instead of 308; \/: it sets a cookie/],
      'http-ca': [/needs further requests.*Strict-Transport-Security/],
      health: [/Cross-Origin-Resource-Policy/],
      headers: [/x-robots-tag is missing/, /strict-transport-security is unexpected/, /policy is repeated/],
      'ca-page': [],
      'ca-downloads': [/http:\/\/localhost\/ca\.crt: 301 instead of 200/],
      clock: [/^(599|600|601) s ahead$/],
    }
    assert.deepEqual(found.failing, Object.keys(expected))
    for (const [name, faults] of Object.entries(expected)) {
      for (const fault of faults) assert.match(found.detail(name), fault)
    }
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
    const responding = (bytes: string) => (socket: Socket) => void socket.end(bytes)
    for (const [onConnect, words, state = 'failing', more = {}] of [
      [tunnelTo(right.httpsPort), /^the portal itself responds$/, 'ok'],
      [tunnelTo(inspecting.httpsPort), /^the proxy inspects the portal: a certificate issued by Northwind CA$/],
      [responding('HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 302 Found\r\n\r\n'), /: .*(WRONG_VERSION|PACKET_LENGTH|RECORD)/i],
      [responding('HTTP/1.1 403 Forbidden\r\n\r\n'), /^the proxy responds to CONNECT with 403$/],
      [responding(''), /^no_proxy names/, 'ok', { NO_PROXY: 'x.example, LOCALHOST:443' }],
    ] as readonly [(socket: Socket) => void, RegExp, string?, Record<string, string>?][]) {
      const found = await examine(right, { ...env, HTTPS_PROXY: await startProxy(t, onConnect), ...more })
      assert.deepEqual([found.state('proxy'), found.failing], [state, state === 'failing' ? ['proxy'] : []])
      assert.match(found.detail('proxy'), words)
      assert.doesNotMatch(found.detail('proxy'), /p4ssw0rd/)
    }
  })

  test('without variables it says first that it checks the defaults', async () => {
    for (const [set, isNone] of [
      [{ GATEWAY_CAPTIVE_HOSTNAME: ' ' }, true],
      [{ GATEWAY_CAPTIVE_HTTPS_PORT: '8443' }, false],
    ] as const) {
      const env = { GATEWAY_CAPTIVE_CA_PATH: '', ...set }
      const { stdout } = await gatewayctl([...DOCTOR, '--json', '--connect-https', '127.0.0.1:1'], { env })
      const [first] = (JSON.parse(stdout) as { findings: readonly Finding[] }).findings
      assert.equal(first?.check === 'variables' && first.state === 'failing', isNone)
      if (isNone) assert.match(first?.detail ?? '', /so these checks are about the defaults: https:\/\/localhost$/)
    }
  })
})
