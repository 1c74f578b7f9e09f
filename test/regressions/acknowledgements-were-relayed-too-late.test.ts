// Stories of acknowledgements that the portal relayed although it was too late; each suite is one.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import type { TlsOptions } from 'node:tls'
import {
  generatePrivateKey,
  issueCaCertificate,
  issueLeafCertificate,
  type KeyPair,
} from '../../src/engine/certificates/issue.ts'
import { createAcknowledgementClient } from '../../src/portal/engine-client/clients.ts'
import { readConfig } from '../../src/portal/settings/config.ts'
import {
  acceptancesOf,
  acknowledgement,
  assertOwnResponse,
  PASSPHRASE,
  requestLine,
  startRelay,
} from '../portal/acknowledgement/relay.ts'
import { exchange } from '../portal/exchange.ts'
import { complete } from '../settings/load.ts'
import { rawResponse, respondWith } from '../support/hostile-engine.ts'
import { listen } from '../support/listen.ts'
import { NOW } from '../support/portal.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// The portal had no time window for acknowledgements: one with a `ts` of last year, or of tomorrow, was recorded as an
// attempt and relayed, since the first version. Only the engine decided how long it was valid.
describe('an old acknowledgement was relayed', async () => {
  const DAY = 86_400
  const YES = respondWith(rawResponse('302 Found', ['Location: https://news.example/']))
  const { portal, engine } = await startRelay({ after }, YES)

  for (const [name, now, status] of [
    ['a day in the future', NOW - DAY, 403],
    ['more than 60 s in the future by a millisecond', NOW - 60.001, 403],
    ['60 s in the future', NOW - 60, 302],
    ['just issued', NOW, 302],
    ['past the replay window', NOW + 301, 302],
    ['as old as the window and 15 minutes', NOW + 1200.999, 302],
    ['a second older', NOW + 1201, 410],
    ['a year old', NOW + 365 * DAY, 410],
  ] as const) {
    test(`${name}: ${status}`, async () => {
      portal.setTime(now)
      const isRelayed = status === 302
      for (const kind of ['warn', 'aup'] as const) {
        const [rows, asked] = [acceptancesOf(portal), engine.connections.length]
        const plain = acknowledgement({ kind })
        const page = await exchange(portal, plain.target)
        const coded = acknowledgement({ kind, ...PASSPHRASE })
        const problem = await exchange(portal, coded.target, { 'X-Override-Code': 'secret' })
        assert.deepEqual([page.status, problem.status], [status, status])
        assert.equal(engine.connections.length - asked, isRelayed ? 2 : 0)
        assert.equal(acceptancesOf(portal) - rows, isRelayed && kind === 'aup' ? 2 : 0)
        if (isRelayed) continue
        assertOwnResponse(page, 'page')
        assert.match(page.body, status === 410 ? /This page has timed out/ : /This link has expired/)
        assert.match(page.body, /class="primary"/, 'with the link back')
        assertOwnResponse(problem, 'problem')
        assert.equal((await requestLine(portal, plain.reference)).refusal, 'expired')
      }
    })
  }

  test('a shorter replay window shortens both limits', async (t) => {
    const strict = await startRelay(t, YES, { env: { ENGINE_SIGNATURE_MAX_AGE_SECONDS: '30' } })
    for (const [now, status] of [
      [NOW - 31, 403],
      [NOW - 30, 302],
      [NOW + 930, 302],
      [NOW + 931, 410],
    ] as const) {
      strict.portal.setTime(now)
      assert.equal((await exchange(strict.portal, acknowledgement().target)).status, status, `${now - NOW}`)
    }
  })
})

// A resumed TLS session with the engine skips the verification of its certificate, so it may be at most a minute old. Its age
// was measured with the system's clock: when that was set back by an hour, the session was resumed for an hour, and an engine
// whose certificate had been swapped got payloads and codes. Since sessions are resumed at all (2026.47). The minute is now
// one of a clock that is never set back.
describe('a TLS session outlived its minute', () => {
  const QUESTION = { query: { p: 'p', ts: 1, text: 'p=p&v=1&ts=1' }, clientAddress: undefined, overrideCode: undefined }

  async function newCa(): Promise<KeyPair> {
    const key = generatePrivateKey()
    return { key, certificate: await issueCaCertificate(key, 'Gateway', Date.now()) }
  }

  async function leafOf(issuer: KeyPair): Promise<TlsOptions> {
    const key = generatePrivateKey()
    const cert = await issueLeafCertificate(issuer, key, ['127.0.0.1'], Date.now())
    // The keys of session tickets survive a change of the certificate.
    return { cert, key: String(key.export({ type: 'pkcs8', format: 'pem' })), ticketKeys: Buffer.alloc(48, 7) }
  }

  /** An engine, and the portal's client of it; the test moves both of the process's clocks. */
  async function startEngine(t: TestContext) {
    const ca = await newCa()
    const engine = createServer(await leafOf(ca), (_, response) => {
      response.writeHead(302, { location: 'https://news.example/' }).end()
    })
    const port = await listen(t, engine)
    const caFile = join(temporaryFolder(t), 'ca.crt')
    writeFileSync(caFile, ca.certificate)
    const url = `https://127.0.0.1:${port}`
    const { config } = readConfig({ ...complete, ENGINE_INTERNAL_URL: url, ENGINE_CA_FILE: caFile })
    const ahead = { system: 0, monotonic: 0 }
    const [date, monotonic] = [Date.now, performance.now.bind(performance)]
    t.mock.method(Date, 'now', () => date() + ahead.system)
    t.mock.method(performance, 'now', () => monotonic() + ahead.monotonic)
    const send = createAcknowledgementClient(config) ?? assert.fail()
    return {
      ahead,
      swapCertificate: async () => engine.setSecureContext(await leafOf(await newCa())),
      kind: async () => (await send(QUESTION)).kind,
    }
  }

  test('a swapped certificate is refused after a minute, although the clock was set back', async (t) => {
    const { ahead, swapCertificate, kind } = await startEngine(t)
    assert.equal(await kind(), 'redirect')
    await swapCertificate()
    ahead.system = -3_600_000
    ahead.monotonic = 60_000
    assert.equal(await kind(), 'broken')
  })

  test('control: within the minute the session is resumed, and after it the same certificate is verified again', async (t) => {
    const { ahead, swapCertificate, kind } = await startEngine(t)
    assert.equal(await kind(), 'redirect')
    ahead.monotonic = 60_000
    assert.equal(await kind(), 'redirect')
    await swapCertificate()
    ahead.monotonic = 100_000
    assert.equal(await kind(), 'redirect')
  })
})
