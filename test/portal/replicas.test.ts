// Replicas behave identically: the same request gets the same bytes, and each accepts what another one issued. They share
// only configuration and ledger.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { databases, query } from '../support/databases.ts'
import { ACK_TOKEN, claims, payloadOf, verdictQuery, verdictTarget } from '../support/payloads.ts'
import { NOW, type RunningPortal, startPortal } from '../support/portal.ts'
import { postgresUrl } from '../support/postgres-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const postgres = databases.find(({ name }) => name === 'PostgreSQL') ?? assert.fail()
const SHOWN_TARGETS = [
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

/** A second portal with the first one's ledger. */
async function startReplicas(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const database = `sqlite:///${join(temporaryFolder(t), 'portal.db')}`
  const shared = { GATEWAY_CAPTIVE_DATABASE_URL: database, ...env }
  return [await startPortal(t, { env: shared }), await startPortal(t, { env: shared })] as const
}

/** The exact response bytes, without the parts that differ per request. */
async function bytesOf({ port }: RunningPortal, target: string, headers: string[] = []): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.end([`GET ${target} HTTP/1.1`, 'Host: portal', 'Connection: close', ...headers, '', ''].join('\r\n'))
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return Buffer.concat(chunks).toString('latin1')
}

/** Removes the date and the request id, which differ per response. */
function withoutVariableHeaders(response: string): string {
  return response.replace(/^date: .*\r\n/im, '').replace(/^x-request-id: .*\r\n/im, '')
}

/** What a browser would send back. */
async function cookieAfter(portal: RunningPortal, target: string): Promise<string> {
  const { headers } = await portal.get(target)
  const [cookie = ''] = headers.getSetCookie()
  return cookie.split(';', 1)[0] as string
}

async function startEngine(t: TestContext) {
  const engine = createServer((_, response) => response.writeHead(302, { location: 'https://news.example/' }).end())
  engine.listen(0, '127.0.0.1')
  await once(engine, 'listening')
  t.after(() => engine.close())
  return `http://127.0.0.1:${(engine.address() as AddressInfo).port}`
}

test('the same request, the clock at the same second: the same bytes', async (t) => {
  const [one, other] = await startReplicas(t)
  for (const target of SHOWN_TARGETS) {
    for (const language of ['en', 'fr-CH, de;q=0.5', 'it']) {
      const headers = [`Accept-Language: ${language}`]
      const answers = await Promise.all([bytesOf(one, target, headers), bytesOf(other, target, headers)])
      const [first, second] = answers.map(withoutVariableHeaders)
      assert.match(first as string, /^HTTP\/1\.1 \d{3} /)
      assert.equal(first, second, target)
    }
  }
})

describe('a replica accepts what another one issued', () => {
  test('the cookie with the language', async (t) => {
    const [one, other] = await startReplicas(t)
    const cookie = await cookieAfter(one, '/locale?set=fr&page=privacy')
    assert.match(await (await other.get('/privacy', { cookie })).text(), /<html lang="fr"/)
    const forged = cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    assert.match(await (await other.get('/privacy', { cookie: forged })).text(), /<html lang="en"/)
  })

  test('a page and its acknowledgement: the record has the text that the first one showed', async (t) => {
    const [one, other] = await startReplicas(t, { ENGINE_INTERNAL_URL: await startEngine(t) })
    const verdict = claims(NOW, { kind: 'aup', ack_token: ACK_TOKEN })
    const page = await one.get(verdictTarget(verdict), { 'accept-language': 'de' })
    const [cookie = ''] = page.headers.getSetCookie().map((header) => header.split(';', 1)[0] as string)
    const response = await other.get(`/api/captive/ack?${verdictQuery(verdict)}`, { cookie })
    assert.equal(response.status, 302)
    const { database } = one.config
    const rows = await query(database, 'select document_source, locale, state, attempts from acceptance')
    assert.deepEqual(rows, [{ document_source: 'shown', locale: 'de', state: 'accepted', attempts: 1 }])
  })

  test('two clicks of one visitor, one per replica: one acceptance, two attempts', {
    skip: postgres.skip,
  }, async (t) => {
    const location = await postgres.create(t)
    const GATEWAY_CAPTIVE_DATABASE_URL = postgresUrl(location)
    const portals = await startReplicas(t, {
      ENGINE_INTERNAL_URL: await startEngine(t),
      GATEWAY_CAPTIVE_DATABASE_URL,
    })
    const target = `/api/captive/ack?${verdictQuery(claims(NOW, { kind: 'aup', ack_token: ACK_TOKEN }))}`
    const answers = await Promise.all(portals.map((portal) => portal.get(target)))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [302, 302],
    )
    assert.deepEqual(await query(location, 'select state, attempts from acceptance'), [
      { state: 'accepted', attempts: 2 },
    ])
  })
})

describe('secrets rotate, replica by replica, without refusals', () => {
  const [OLD, NEW] = ['the-old-secret-0123456789-abcdefghij-klm', 'the-new-secret-0123456789-abcdefghij-klm']

  test('the shared secret, and the key of the cookies', async (t) => {
    const { deriveKeyring } = await import('../../src/contract/secret.ts')
    // docs/engine.md: first every portal takes both, then the engine seals with the new one, then the old one goes.
    const stages = [
      { portals: [OLD, OLD], engine: OLD },
      { portals: [`${OLD} ${NEW}`, OLD], engine: OLD },
      { portals: [`${OLD} ${NEW}`, `${OLD} ${NEW}`], engine: OLD },
      { portals: [`${OLD} ${NEW}`, `${OLD} ${NEW}`], engine: NEW },
      { portals: [NEW, `${OLD} ${NEW}`], engine: NEW },
      { portals: [NEW, NEW], engine: NEW },
    ]
    let cookie: string | undefined
    for (const { portals, engine } of stages) {
      const running: RunningPortal[] = []
      for (const secret of portals) {
        running.push(
          await startPortal(t, {
            env: { GATEWAY_CAPTIVE_SHARED_SECRET: secret, GATEWAY_CAPTIVE_SECRET_KEY: secret },
          }),
        )
      }
      const { sealing } = deriveKeyring([engine])
      const requests = Array.from({ length: 40 }, async (_, number) => {
        const sealed = claims(NOW)
        const target = `/blocked?p=${payloadOf(sealed, sealing)}&v=1&ts=${sealed.ts}`
        const portal = running[number % running.length] as RunningPortal
        return (await portal.get(target)).status
      })
      assert.deepEqual(new Set(await Promise.all(requests)), new Set([200]))
      const [first, second] = running as [RunningPortal, RunningPortal]
      if (cookie !== undefined && portals[0]?.includes(OLD)) {
        assert.match(await (await second.get('/privacy', { cookie })).text(), /<html lang="it"/)
      }
      cookie = await cookieAfter(first, '/locale?set=it&page=privacy')
    }
  })
})
