// A resumed TLS session with the engine skips the verification of its certificate, so it may be at most a minute old. Its age
// was measured with the system's clock: when that was set back by an hour, the session was resumed for an hour, and an engine
// whose certificate had been swapped got payloads and codes. Since sessions are resumed at all (2026.47). The minute is now
// one of a clock that is never set back.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { TlsOptions } from 'node:tls'
import {
  generatePrivateKey,
  issueCaCertificate,
  issueLeafCertificate,
  type KeyPair,
} from '../../src/engine/certificates/issue.ts'
import { createAcknowledgementClient } from '../../src/portal/acknowledgement/engine-clients.ts'
import { readConfig } from '../../src/portal/settings/config.ts'
import { complete } from '../settings/load.ts'
import { listen } from '../support/listen.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

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
