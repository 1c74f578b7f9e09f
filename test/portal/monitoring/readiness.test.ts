// /readyz: reports the failing check, and does not put load on engine or database.
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { deriveKeyring } from '../../../src/contract/secret.ts'
import type { Readiness } from '../../../src/portal/monitoring/readiness.ts'
import { makeCertificate, makeServed } from '../../support/certificates.ts'
import { type Behaviour, rawResponse, respondWith, startHostileEngine } from '../../support/hostile-engine.ts'
import { keyring, SECRET } from '../../support/payloads.ts'
import { NOW } from '../../support/portal.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { type Operations, startOperations } from './operations.ts'

const DAY = 86_400
const OFF = { GATEWAY_CAPTIVE_SSL_BUMP: 'off' }
const NOT_FOUND = respondWith(rawResponse('404 Not Found'))

async function readiness({ send }: Operations): Promise<Readiness & { status: number }> {
  const { status, body } = await send('/readyz')
  return { status, ...JSON.parse(body) }
}

/** The response of `/readyz`, some time later. */
let later = 0
async function readinessLater(operations: Operations) {
  later += 10
  operations.portal.setTime(NOW + later)
  return await readiness(operations)
}

test('all checks are ok, and those that are turned off do not count', async (t) => {
  const operations = await startOperations(t, { env: OFF })
  const { head } = await operations.send('/readyz')
  assert.equal(head.get('content-type'), 'application/json')
  assert.deepEqual(await readiness(operations), {
    status: 200,
    ready: true,
    checks: {
      engine: { state: 'off', detail: 'ENGINE_INTERNAL_URL is empty' },
      secret: { state: 'off', detail: 'ENGINE_INTERNAL_URL is empty' },
      database: { state: 'ok', detail: 'acceptances can be recorded' },
      certificate: { state: 'off', detail: 'GATEWAY_CAPTIVE_SSL_BUMP is off' },
      eventLoop: { state: 'ok', detail: 'blocked for at most 0 ms', delayMilliseconds: 0 },
    },
  })
})

describe('the engine', { concurrency: true }, () => {
  test('gets one request without a token, at most once in five seconds', async (t) => {
    // Engines need not have the document.
    const engine = await startHostileEngine(t, NOT_FOUND)
    const env = { ...OFF, ENGINE_INTERNAL_URL: engine.url, ENGINE_API_TOKEN: 'the-token' }
    const operations = await startOperations(t, { env })
    const all = await Promise.all(Array.from({ length: 20 }, () => readiness(operations)))
    assert.ok(all.every(({ status, checks }) => status === 200 && checks.engine.state === 'ok'))
    operations.portal.setTime(NOW + 4)
    await readiness(operations)
    // A scrape uses the same check.
    await operations.send('/metrics')
    assert.equal(engine.connections.length, 1)
    operations.portal.setTime(NOW + 5)
    await readiness(operations)
    assert.equal(engine.connections.length, 2)
    for (const { closed, received } of engine.connections) {
      await closed
      assert.match(received(), /^GET \/healthz HTTP\/1\.1\r\n/)
      assert.doesNotMatch(received(), /the-token/)
    }
  })

  test('is not reachable: 503, and block pages are still served', async (t) => {
    const engine = await startHostileEngine(t, () => {})
    const operations = await startOperations(t, { env: { ...OFF, ENGINE_INTERNAL_URL: engine.url } })
    await engine.close()
    const { status, ready, checks } = await readiness(operations)
    assert.deepEqual([status, ready, checks.database.state], [503, false, 'ok'])
    assert.equal(checks.engine.state, 'failing')
    assert.match(checks.engine.detail, /^not reachable: ECONNREFUSED: /)
    assert.deepEqual(checks.secret, { state: 'off', detail: 'not known: the engine is not reachable' })
    assert.equal((await operations.portal.get('/healthz')).status, 200)
  })

  test('is verified as for an acknowledgement', async (t) => {
    const folder = temporaryFolder(t)
    const check = async (served: string, isTrusted: boolean) => {
      const { ca, leaf } = makeServed(served)
      const engine = await startHostileEngine(t, NOT_FOUND, { key: leaf.key, cert: leaf.certificate })
      const file = join(folder, `${engine.port}.crt`)
      writeFileSync(file, (isTrusted ? ca : makeServed(served).ca).certificate)
      const env = { ...OFF, ENGINE_INTERNAL_URL: `https://localhost:${engine.port}`, ENGINE_CA_FILE: file }
      return (await readiness(await startOperations(t, { env }))).checks.engine
    }
    assert.deepEqual(await check('localhost', true), { state: 'ok', detail: 'reachable' })
    const stranger = await check('localhost', false)
    assert.equal(stranger.state, 'failing')
    assert.match(stranger.detail, /^not reachable: [A-Z_]+: .* set ENGINE_CA_FILE to the CA's file$/)
    const misnamed = await check('engine.example', true)
    assert.match(misnamed.detail, /^not reachable: ERR_TLS_CERT_ALTNAME_INVALID: .* lacks the name localhost: /)
  })

  test('does not respond, or does not finish the handshake: timeout after two seconds', async (t) => {
    for (const protocol of ['http', 'https']) {
      const engine = await startHostileEngine(t, () => {})
      const env = { ...OFF, ENGINE_INTERNAL_URL: engine.url.replace('http', protocol) }
      const operations = await startOperations(t, { env })
      assert.equal((await readiness(operations)).checks.engine.detail, 'not reachable: no response within 2 s')
      // No connection is left open.
      await Promise.all(engine.connections.map(({ closed }) => closed))
    }
  })
})

describe('the shared secret', () => {
  const OTHER = 'an0ther-secret-of-this-test-0123456789abc'
  const check = async (t: TestContext, health: Behaviour, secret = SECRET) => {
    const engine = await startHostileEngine(t, health)
    const env = { ...OFF, ENGINE_INTERNAL_URL: engine.url, GATEWAY_CAPTIVE_SHARED_SECRET: secret }
    return await readiness(await startOperations(t, { env }))
  }
  const reporting = (kid: unknown) => respondWith(rawResponse('200 OK', [], JSON.stringify({ status: 'ok', kid })))
  const ours = reporting(keyring.sealing.kid)

  test('is the engine’s, alone or as one of two', async (t) => {
    for (const secret of [SECRET, `${OTHER} ${SECRET}`]) {
      const { status, checks } = await check(t, ours, secret)
      const detail = `the engine seals with the key ${keyring.sealing.kid}, which this portal opens`
      assert.deepEqual([status, checks.secret], [200, { state: 'ok', detail }])
    }
  })
  test('is another one: 503, with both key ids', async (t) => {
    const { status, checks } = await check(t, ours, OTHER)
    const [other] = deriveKeyring([OTHER]).opening.keys()
    const detail = `the engine seals with the key ${keyring.sealing.kid}, the portal opens ${other}: their shared secrets differ`
    assert.deepEqual([status, checks.engine.state, checks.secret], [503, 'ok', { state: 'failing', detail }])
  })
  test('cannot be compared if the engine does not report its key', async (t) => {
    const bodies = ['', 'null', '[]', '{"kid":"short"}', `{"kid":["${keyring.sealing.kid}"]}`, 'x'.repeat(10_000)]
    for (const behaviour of [...bodies.map((body) => respondWith(rawResponse('200 OK', [], body))), NOT_FOUND]) {
      const { status, checks } = await check(t, behaviour, OTHER)
      assert.deepEqual([status, checks.engine.state, checks.secret.state], [200, 'ok', 'off'])
    }
  })
})

describe('the database', { concurrency: true }, () => {
  test('is locked by another connection: 503 in time, and ok afterwards', async (t) => {
    const operations = await startOperations(t, { env: OFF })
    const database = new DatabaseSync(operations.portal.databasePath)
    database.exec('begin immediate')
    const { status, checks } = await readiness(operations)
    assert.deepEqual([status, checks.database.state, checks.engine.state], [503, 'failing', 'off'])
    database.exec('rollback')
    database.close()
    assert.equal((await readinessLater(operations)).status, 200)
  })
  test('does not respond: timeout after two and a half seconds', async (t) => {
    const never = new Promise<void>(() => {})
    const operations = await startOperations(t, { env: OFF, ledger: (ledger) => ({ ...ledger, ping: () => never }) })
    assert.equal((await readiness(operations)).checks.database.detail, 'timed out')
  })
})

test('the certificate: days left, missing, expired', async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'ca.crt')
  const operations = await startOperations(t, { env: { GATEWAY_CAPTIVE_CA_PATH: path } })
  const { certificates } = operations.portal
  const missing = await readiness(operations)
  assert.deepEqual([missing.status, missing.checks.certificate.state], [503, 'failing'])
  writeFileSync(path, makeCertificate({ notBefore: NOW - DAY, notAfter: NOW + 30 * DAY }).certificate)
  await certificates.refresh()
  const there = await readinessLater(operations)
  const { state, daysLeft } = there.checks.certificate
  assert.deepEqual([there.status, state, daysLeft], [200, 'ok', 29])
  operations.portal.setTime(NOW + 30 * DAY)
  assert.equal((await readiness(operations)).status, 503)
  rmSync(path)
})

test('the event loop was blocked', async (t) => {
  const operations = await startOperations(t, { env: OFF })
  operations.standStill(999.4)
  assert.equal((await readinessLater(operations)).status, 200)
  operations.standStill(1_000)
  const { status, checks } = await readinessLater(operations)
  assert.deepEqual([status, checks.eventLoop.state], [503, 'failing'])
})
