// Replicas behave identically: the same request gets the same bytes, and each accepts what another one issued. They share
// only configuration and ledger. Cookies and the rotation of secrets: visitor/session.test.ts, verdict/vectors.test.ts.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { query } from '../support/databases.ts'
import { rawResponse, respondWith, startHostileEngine } from '../support/hostile-engine.ts'
import { ACK_TOKEN, claims, verdictTarget } from '../support/payloads.ts'
import { NOW, startPortal } from '../support/portal.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { acknowledgement, getBytes } from './acknowledgement/relay.ts'
import { cookieSet, exchange, exchangeBytes } from './exchange.ts'

const TARGETS = [
  verdictTarget(claims(NOW)),
  verdictTarget(claims(NOW, { kind: 'warn', ack_token: ACK_TOKEN })),
  verdictTarget(claims(NOW, { kind: 'aup', ack_token: ACK_TOKEN })),
  verdictTarget(claims(NOW - 1000)),
  '/blocked?p=broken&v=1&ts=1',
  '/privacy',
  '/locale?set=de&page=privacy',
  '/ca',
  '/healthz',
  '/nowhere',
]

/** Two portals with one ledger. */
async function startReplicas(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const database = `sqlite:///${join(temporaryFolder(t), 'portal.db')}`
  const shared = { GATEWAY_CAPTIVE_DATABASE_URL: database, ...env }
  return [await startPortal(t, { env: shared }), await startPortal(t, { env: shared })] as const
}

test('the same request, the clock at the same second: the same bytes', async (t) => {
  const replicas = await startReplicas(t)
  for (const target of TARGETS) {
    for (const language of ['en', 'fr-CH, de;q=0.5', 'it']) {
      const request = getBytes(target, [`Accept-Language: ${language}`])
      const answers = await Promise.all(replicas.map((replica) => exchangeBytes(replica, request)))
      // Date and request id differ per response.
      const [one, other] = answers.map((answer) => answer.replaceAll(/^(date|x-request-id): .*\r\n/gim, ''))
      assert.match(`${one}`, /^HTTP\/1\.1 \d{3} /)
      assert.equal(one, other, target)
    }
  }
})

test('a page of one and its acknowledgement at another: the record has the text that was shown', async (t) => {
  const engine = await startHostileEngine(t, respondWith(rawResponse('302 Found', ['Location: https://news.example/'])))
  const [one, other] = await startReplicas(t, { ENGINE_INTERNAL_URL: engine.url })
  const { page, target } = acknowledgement()
  const Cookie = cookieSet(await exchange(one, page, { 'Accept-Language': 'de' }))
  assert.equal((await exchange(other, target, { Cookie })).status, 302)
  const rows = await query(one.config.database, 'select document_source, locale, state, attempts from acceptance')
  assert.deepEqual(rows, [{ document_source: 'shown', locale: 'de', state: 'accepted', attempts: 1 }])
})
