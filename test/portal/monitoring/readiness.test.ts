// /readyz: which part is wrong, and that asking costs engine and database nothing.
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import type { Readiness } from '../../../src/portal/monitoring/readiness.ts'
import { makeCertificate, makeServed } from '../../support/certificates.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { startHostileEngine } from '../../support/hostile-engine.ts'
import { NOW } from '../../support/portal.ts'
import { type Operations, startOperations } from './operations.ts'

const DAY = 86_400
const OFF = { GATEWAY_CAPTIVE_SSL_BUMP: 'off' }

async function readiness({ ask }: Operations): Promise<Readiness & { status: number }> {
  const { status, body } = await ask('/readyz')
  return { status, ...JSON.parse(body) }
}

/** What `/readyz` says, some time later. */
let later = 0
async function readinessLater(operations: Operations) {
  later += 10
  operations.portal.setTime(NOW + later)
  return await readiness(operations)
}

test('everything that is wanted is there; what is turned off does not matter', async (t) => {
  const operations = await startOperations(t, { env: OFF })
  const { head } = await operations.ask('/readyz')
  assert.equal(head.get('content-type'), 'application/json')
  assert.deepEqual(await readiness(operations), {
    status: 200,
    ready: true,
    checks: {
      engine: { state: 'off', says: 'ENGINE_INTERNAL_URL is empty' },
      database: { state: 'ok', says: 'acceptances can be recorded' },
      certificate: { state: 'off', says: 'GATEWAY_CAPTIVE_SSL_BUMP is off' },
      eventLoop: { state: 'ok', says: 'stood still for at most 0 ms', delayMilliseconds: 0 },
    },
  })
})

describe('the engine', () => {
  test('is connected to and told nothing, at most once in five seconds', async (t) => {
    const engine = await startHostileEngine(t, () => {})
    const operations = await startOperations(t, { env: { ...OFF, ENGINE_INTERNAL_URL: engine.url } })
    const all = await Promise.all(Array.from({ length: 20 }, () => readiness(operations)))
    assert.ok(all.every(({ status, checks }) => status === 200 && checks.engine.state === 'ok'))
    operations.portal.setTime(NOW + 4)
    await readiness(operations)
    // A scrape asks the same question.
    await operations.ask('/metrics')
    assert.equal(engine.connections.length, 1)
    operations.portal.setTime(NOW + 5)
    await readiness(operations)
    assert.equal(engine.connections.length, 2)
    for (const { closed, received } of engine.connections) {
      await closed
      assert.equal(received(), '')
    }
  })

  test('is gone: 503, and the block pages go on', async (t) => {
    const engine = await startHostileEngine(t, () => {})
    const operations = await startOperations(t, { env: { ...OFF, ENGINE_INTERNAL_URL: engine.url } })
    await engine.close()
    const { status, ready, checks } = await readiness(operations)
    assert.deepEqual([status, ready, checks.database.state], [503, false, 'ok'])
    assert.deepEqual(checks.engine, { state: 'wrong', says: 'not reachable: ECONNREFUSED' })
    assert.equal((await operations.portal.get('/healthz')).status, 200)
  })

  const overTls = async (t: TestContext, served: string, trusted: 'its own' | 'another') => {
    const { ca, leaf } = makeServed(served)
    const engine = await startHostileEngine(t, () => {}, { key: leaf.key, cert: leaf.certificate })
    const folder = temporaryFolder(t)
    const other = () => makeServed(served).ca
    writeFileSync(join(folder, 'ca.crt'), (trusted === 'its own' ? ca : other()).certificate)
    const env = {
      ...OFF,
      ENGINE_INTERNAL_URL: `https://localhost:${engine.port}`,
      ENGINE_CA_FILE: join(folder, 'ca.crt'),
    }
    return (await readiness(await startOperations(t, { env }))).checks.engine
  }
  test('is verified as for an acknowledgement', async (t) => {
    assert.deepEqual(await overTls(t, 'localhost', 'its own'), { state: 'ok', says: 'reachable' })
    const stranger = await overTls(t, 'localhost', 'another')
    assert.deepEqual([stranger.state, /^not reachable: [A-Z_]+$/.test(stranger.says)], ['wrong', true])
    const misnamed = await overTls(t, 'engine.example', 'its own')
    assert.deepEqual(misnamed, { state: 'wrong', says: 'not reachable: ERR_TLS_CERT_ALTNAME_INVALID' })
  })

  test('does not finish its handshake: no longer than two seconds', async (t) => {
    const engine = await startHostileEngine(t, () => {})
    const env = { ...OFF, ENGINE_INTERNAL_URL: engine.url.replace('http:', 'https:') }
    const operations = await startOperations(t, { env })
    assert.equal((await readiness(operations)).checks.engine.says, 'not reachable: no answer in time')
    // Nothing is left open.
    await Promise.all(engine.connections.map(({ closed }) => closed))
  })
})

describe('the database', () => {
  test('is locked by somebody else: 503 in time, and well again after', async (t) => {
    const operations = await startOperations(t, { env: OFF })
    const database = new DatabaseSync(operations.portal.databasePath)
    database.exec('begin immediate')
    const { status, checks } = await readiness(operations)
    assert.deepEqual([status, checks.database.state, checks.engine.state], [503, 'wrong', 'off'])
    database.exec('rollback')
    database.close()
    assert.equal((await readinessLater(operations)).status, 200)
  })
  test('does not answer at all: no longer than two and a half seconds', async (t) => {
    const never = new Promise<void>(() => {})
    const operations = await startOperations(t, { env: OFF, ledger: (ledger) => ({ ...ledger, ping: () => never }) })
    assert.equal((await readiness(operations)).checks.database.says, 'no answer in time')
  })
})

test('the certificate: how many days it has left, that it is none, that it is over', async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'ca.crt')
  const operations = await startOperations(t, { env: { GATEWAY_CAPTIVE_CA_PATH: path } })
  const { certificates } = operations.portal
  const missing = await readiness(operations)
  assert.deepEqual([missing.status, missing.checks.certificate.state], [503, 'wrong'])
  writeFileSync(path, makeCertificate({ notBefore: NOW - DAY, notAfter: NOW + 30 * DAY }).certificate)
  await certificates.refresh()
  const there = await readinessLater(operations)
  const { state, daysLeft } = there.checks.certificate
  assert.deepEqual([there.status, state, daysLeft], [200, 'ok', 29])
  operations.portal.setTime(NOW + 30 * DAY)
  assert.equal((await readiness(operations)).status, 503)
  rmSync(path)
})

test('the event loop stood still', async (t) => {
  const operations = await startOperations(t, { env: OFF })
  operations.standStill(999.4)
  assert.equal((await readinessLater(operations)).status, 200)
  operations.standStill(1_000)
  const { status, checks } = await readinessLater(operations)
  assert.deepEqual([status, checks.eventLoop.state, checks.eventLoop.delayMilliseconds], [503, 'wrong', 1_000])
})
