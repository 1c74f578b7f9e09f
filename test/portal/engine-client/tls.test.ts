// Verification of the engine: a server without a valid certificate does not get a single byte of a request.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import type { KeyObject } from 'node:crypto'
import { renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import type { TlsOptions } from 'node:tls'
import {
  generatePrivateKey,
  issueCaCertificate,
  issueLeafCertificate,
  type KeyPair,
} from '../../../src/engine/certificates/issue.ts'
import { createSendAcknowledgement, type EngineAddress } from '../../../src/portal/engine-client/acknowledge.ts'
import { makeCertificate } from '../../support/certificates.ts'
import { rawResponse, respondWith, startHostileEngine } from '../../support/hostile-engine.ts'
import { startPortal } from '../../support/portal.ts'
import { skipWithoutLinux, skipWithoutOpenssl } from '../../support/requirement.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { acceptanceOf, acknowledgement, requestLine } from '../acknowledgement/relay.ts'
import { exchange } from '../exchange.ts'

const DAY = 24 * 3600 * 1000
const REDIRECT = respondWith(rawResponse('302 Found', ['Location: https://news.example/']))
const QUESTION = { query: { p: 'zq', ts: 1, text: 'p=zq&v=1&ts=1' }, clientAddress: '127.0.0.1', overrideCode: 'zq' }
const NAMES = ['127.0.0.1', 'localhost']

const folder = temporaryFolder({ after })
const ca = await createCa('Gateway')
const otherCa = await createCa('Gateway')
const caFile = write('ca.crt', ca.certificate)
// Read once, when the system's roots are first needed.
const systemCa = await createCa('System')
process.env.SSL_CERT_FILE = write('system.crt', systemCa.certificate)

async function createCa(name: string, now = Date.now()): Promise<KeyPair> {
  const key = generatePrivateKey()
  return { key, certificate: await issueCaCertificate(key, name, now) }
}

async function leaf(issuer: KeyPair, names: readonly string[] = NAMES, now = Date.now()): Promise<TlsOptions> {
  const key = generatePrivateKey()
  return { cert: await issueLeafCertificate(issuer, key, names, now), key: pem(key) }
}

function pem(key: KeyObject): string {
  return String(key.export({ type: 'pkcs8', format: 'pem' }))
}

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
  return path
}

async function connect(t: TestContext, tls: TlsOptions, trust: Partial<EngineAddress>) {
  const engine = await startHostileEngine(t, REDIRECT, tls)
  return { engine, send: client({ url: new URL(engine.url), ...trust }) }
}

function client(address: Pick<EngineAddress, 'url'> & Partial<EngineAddress>) {
  const send = createSendAcknowledgement({
    ackPath: '/api/captive/ack',
    timeoutSeconds: 2,
    apiToken: 'zq-token',
    userAgent: 'captive-portal/1',
    clock: Date.now,
    caFile: undefined,
    publishedCa: undefined,
    ...address,
  })
  return () => send(QUESTION)
}

describe('an engine without a valid certificate', () => {
  const now = Date.now()
  const cases: Readonly<Record<string, () => Promise<[TlsOptions, Partial<EngineAddress>?]>>> = {
    'another name': async () => [await leaf(ca, ['127.0.0.2', 'engine', 'localhost'])],
    'another CA of the same name': async () => [await leaf(otherCa)],
    expired: async () => [await leaf(ca, NAMES, now - 91 * DAY)],
    'not valid yet': async () => [await leaf(ca, NAMES, now + DAY)],
    'an expired CA': async () => {
      const old = await createCa('Gateway', now - 3_653 * DAY)
      return [await leaf(old), { caFile: write('expired.crt', old.certificate) }]
    },
    'self-signed': async () => {
      const self = await createCa('127.0.0.1')
      return [{ cert: self.certificate, key: pem(self.key) }]
    },
    'signed by a leaf of the CA': async () => {
      const key = generatePrivateKey()
      const middle = { key, certificate: await issueLeafCertificate(ca, key, NAMES, now) }
      const { cert, ...rest } = await leaf(middle)
      return [{ ...rest, cert: String(cert) + middle.certificate }]
    },
    'no CA but the system’s': async () => [await leaf(ca), { caFile: undefined }],
    'the system’s CA, although ENGINE_CA_FILE is set': async () => [await leaf(systemCa)],
    'a published CA, although ENGINE_CA_FILE is set': async () => [
      await leaf(ca),
      { caFile: write('other.crt', otherCa.certificate), publishedCa: caFile },
    ],
  }
  for (const [name, create] of Object.entries(cases)) {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      test(`${name}, ${version}`, async (t) => {
        const [tls, trust] = await create()
        const { engine, send } = await connect(t, { ...tls, maxVersion: version }, { caFile, ...trust })
        const answered = await send()
        assert.equal(answered.kind, 'broken')
        assert.doesNotMatch(JSON.stringify(answered), /zq|node/i)
        for (const { received } of engine.connections) assert.equal(received(), '')
      })
    }
  }
  test('self-signed, with its leaf in the CA’s file', { skip: skipWithoutOpenssl }, async (t) => {
    const seconds = Math.floor(now / 1000)
    const year = { notBefore: seconds - 60, notAfter: seconds + 3600, subject: '/CN=127.0.0.1' }
    for (const [isCa, kind] of [
      ['TRUE', 'redirect'],
      ['FALSE', 'broken'],
    ] as const) {
      const extensions = [`basicConstraints=CA:${isCa}`, 'subjectAltName=IP:127.0.0.1']
      const { certificate, key } = makeCertificate({ ...year, extensions })
      const file = write('self.crt', certificate)
      const { engine, send } = await connect(t, { cert: certificate, key }, { caFile: file })
      assert.equal((await send()).kind, kind, `CA:${isCa}`)
      if (kind === 'broken') assert.equal(engine.connections[0]?.received() ?? '', '')
    }
  })
  test('with a CA’s file that cannot be used', async (t) => {
    const pipe = join(folder, 'pipe.crt')
    execFileSync('mkfifo', [pipe])
    for (const file of [
      join(folder, 'gone.crt'),
      folder,
      pipe,
      write('junk.crt', 'no certificate\0\xff'),
      write('broken.crt', ca.certificate.replace(/\n[A-Za-z0-9+/]{64}\n/, '\n')),
      write('huge.crt', ca.certificate.padEnd(1024 * 1024 + 1, '\n')),
    ]) {
      const { engine, send } = await connect(t, await leaf(ca), { caFile: file })
      assert.equal((await send()).kind, 'broken', file)
      assert.equal(engine.connections[0]?.received() ?? '', '')
    }
  })
  test('even if the environment turns verification off', async (t) => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED)
    const { engine, send } = await connect(t, await leaf(otherCa), { caFile })
    assert.equal((await send()).kind, 'broken')
    assert.equal(engine.connections[0]?.received() ?? '', '')
  })
  test('supports only obsolete TLS', async (t) => {
    const tls = {
      ...(await leaf(ca)),
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    } as const
    const { send } = await connect(t, tls, { caFile })
    assert.equal((await send()).kind, 'broken')
  })
  test('does not finish the handshake', async (t) => {
    const silent = await startHostileEngine(t, () => {})
    const url = new URL(silent.url.replace('http', 'https'))
    assert.equal((await client({ url, caFile, timeoutSeconds: 0.2 })()).kind, 'late')
    assert.match(silent.connections[0]?.received() ?? '', /^\x16/)
    assert.doesNotMatch(silent.connections[0]?.received() ?? '', /GET [/]|HTTP[/]1|eyJhbGci/)
  })
})

describe('an engine with a valid certificate', () => {
  for (const host of NAMES) {
    test(`as ${host}`, async (t) => {
      const engine = await startHostileEngine(t, REDIRECT, await leaf(ca, [host]))
      const send = client({ url: new URL(`https://${host}:${engine.port}`), caFile })
      assert.equal((await send()).kind, 'redirect')
      assert.match(engine.connections[0]?.received() ?? '', /^GET \/api\/captive\/ack\?p=zq&v=1&ts=1 HTTP/)
    })
  }
  test('among several in one file, with text around them', async (t) => {
    const text = `Gateway CA\n${otherCa.certificate}# and\r\n${ca.certificate.replaceAll('\n', '\r\n')}`
    const { send } = await connect(t, await leaf(ca), { caFile: write('both.crt', text) })
    assert.equal((await send()).kind, 'redirect')
  })
  test('by one of the system’s CAs, published or not', { skip: skipWithoutLinux }, async (t) => {
    for (const publishedCa of [undefined, caFile]) {
      const { send } = await connect(t, await leaf(systemCa), { publishedCa })
      assert.equal((await send()).kind, 'redirect')
    }
  })
})

test('the published CA may appear, change and disappear while the portal runs', async (t) => {
  const publishedCa = join(folder, 'published.crt')
  const { send } = await connect(t, await leaf(ca), { publishedCa })
  const kinds = [(await send()).kind]
  write('published.crt', ca.certificate)
  kinds.push((await send()).kind)
  // In place, with the same length and modification time.
  const { atime, mtime } = statSync(publishedCa)
  writeFileSync(publishedCa, otherCa.certificate.padEnd(ca.certificate.length, '\n'))
  utimesSync(publishedCa, atime, mtime)
  kinds.push((await send()).kind)
  write('published.crt', otherCa.certificate + ca.certificate)
  kinds.push((await send()).kind)
  rmSync(publishedCa)
  kinds.push((await send()).kind)
  assert.deepEqual(kinds, ['broken', 'redirect', 'broken', 'redirect', 'broken'])
})

test('the next CA is trusted with the published one, but not with ENGINE_CA_FILE', async (t) => {
  const publishedCa = write('ca.crt', ca.certificate)
  t.after(() => rmSync(join(folder, 'ca-next.crt')))
  const tls = await leaf(otherCa)
  const { send } = await connect(t, tls, { publishedCa })
  const kinds = [(await send()).kind]
  write('ca-next.crt', otherCa.certificate)
  kinds.push((await send()).kind)
  kinds.push((await (await connect(t, await leaf(ca), { publishedCa })).send()).kind)
  kinds.push((await (await connect(t, tls, { publishedCa, caFile })).send()).kind)
  assert.deepEqual(kinds, ['broken', 'redirect', 'redirect', 'broken'])
})

test('the visitor gets 502, and the log has the reason', async (t) => {
  const engine = await startHostileEngine(t, REDIRECT, await leaf(otherCa))
  const portal = await startPortal(t, { env: { ENGINE_INTERNAL_URL: engine.url, ENGINE_CA_FILE: caFile } })
  const { target, reference } = acknowledgement()
  assert.equal((await exchange(portal, target)).status, 502)
  assert.equal(acceptanceOf(portal, reference)?.state, 'pending')
  const line = await requestLine(portal, reference)
  assert.equal(line.level, 50)
  assert.match(String(line.reason), /^[A-Z_]+: .* set ENGINE_CA_FILE to the CA's file$/)
  for (const { received } of engine.connections) assert.equal(received(), '')
})
