// Stories of acceptances that were recorded with another text than the visitor had read; each suite is one.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { acknowledgement, PASSPHRASE, startRelay } from '../portal/acknowledgement/relay.ts'
import { cookieSet, exchange } from '../portal/exchange.ts'
import { databases, query } from '../support/databases.ts'
import { rawResponse, respondWith, startHostileEngine } from '../support/hostile-engine.ts'
import { policyFiles } from '../support/policy-files.ts'
import { startPortal } from '../support/portal.ts'
import { postgresUrl } from '../support/postgres-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const YES = rawResponse('302 Found', ['Location: https://news.example/'])
const NO = rawResponse('403 Forbidden')

// An acceptance recorded what its first attempt was shown. After a wrong code without a cookie, and then the right code
// from a browser that had shown the policy, the record said `assumed`, with the wrong language and the previous text;
// since the first version of the ledger.
for (const database of databases) {
  describe(`an acceptance had what its first attempt was shown: ${database.name}`, { skip: database.skip }, () => {
    const CODE = { 'X-Override-Code': '1234' }
    const SHOWN = 'policy_version, locale, document_source, document_sha256, client_address'

    /** Two portals with one ledger; the first still has the previous version of the policy. */
    async function setUp(t: TestContext) {
      const engine = await startHostileEngine(t, respondWith(NO))
      const location = await database.create(t)
      const url =
        location.dialect === 'postgres' ? postgresUrl(location) : `sqlite:///${join(temporaryFolder(t), 'portal.db')}`
      const start = (version: string) =>
        startPortal(t, {
          env: {
            ENGINE_INTERNAL_URL: engine.url,
            GATEWAY_CAPTIVE_DATABASE_URL: url,
            GATEWAY_CAPTIVE_RECORD_CLIENT_ADDRESS: 'true',
            PRIVACY_POLICY_VERSION: version,
          },
        })
      const [before, now] = [await start('previous'), await start('current')]
      return { engine, before, now, rows: (sql: string) => query(now.config.database, sql) }
    }

    test('a wrong code without a cookie, then the right one after reading', async (t) => {
      const { engine, before, now, rows } = await setUp(t)
      const { target, page } = acknowledgement(PASSPHRASE)
      assert.equal((await exchange(before, target, { ...CODE, 'Accept-Language': 'en' })).status, 403)
      const cookie = cookieSet(await exchange(now, page, { 'Accept-Language': 'de' }))
      engine.behave(respondWith(YES))
      assert.equal((await exchange(now, target, { ...CODE, Cookie: cookie })).status, 302)

      assert.deepEqual(await rows('select state, attempts from acceptance'), [{ state: 'accepted', attempts: 2 }])
      const attempts = await rows(`select ${SHOWN} from attempt order by id`)
      assert.deepEqual(
        attempts.map(({ policy_version, locale, document_source }) => [policy_version, locale, document_source]),
        [
          ['previous', 'en', 'assumed'],
          ['current', 'de', 'shown'],
        ],
      )
      assert.deepEqual(await rows(`select ${SHOWN} from acceptance`), [attempts[1]])
      assert.notEqual(attempts[0]?.document_sha256, attempts[1]?.document_sha256)
    })

    test('two concurrent tabs in two languages, one on each portal: the accepted one counts', async (t) => {
      const { engine, before, now, rows } = await setUp(t)
      engine.behave((socket, request) => socket.end(/^x-override-code: right\r$/im.test(request) ? YES : NO))
      for (let round = 0; round < 8; round++) {
        const { target, page, reference } = acknowledgement(PASSPHRASE)
        const send = async (portal: typeof now, language: string, code: string) => {
          const cookie = cookieSet(await exchange(portal, page, { 'Accept-Language': language }))
          return (await exchange(portal, target, { Cookie: cookie, 'X-Override-Code': code })).status
        }
        assert.deepEqual(await Promise.all([send(before, 'it', 'right'), send(now, 'fr', 'wrong')]), [302, 403])
        const where = `where jti = '${reference}'`
        assert.deepEqual(await rows(`select policy_version, locale, state from acceptance ${where}`), [
          { policy_version: 'previous', locale: 'it', state: 'accepted' },
        ])
        assert.deepEqual(await rows(`select locale, engine_status from attempt ${where} order by locale`), [
          { locale: 'fr', engine_status: 403 },
          { locale: 'it', engine_status: 302 },
        ])
      }
    })

    test('control: the right code at once, after reading', async (t) => {
      const { engine, now, rows } = await setUp(t)
      engine.behave(respondWith(YES))
      const { target, page } = acknowledgement(PASSPHRASE)
      const cookie = cookieSet(await exchange(now, page, { 'Accept-Language': 'de' }))
      await exchange(now, target, { ...CODE, Cookie: cookie })
      assert.deepEqual(await rows('select policy_version, locale, document_source from acceptance'), [
        { policy_version: 'current', locale: 'de', document_source: 'shown' },
      ])
    })
  })
}

// With an English policy only, a German visitor reads it on a German page. The acceptance said `locale = de`, although no
// German text existed: the record had the page's language, from the cookie and without it. Since the first version. It has the
// language of the text.
describe('the record named the language of the page', () => {
  for (const [name, files, locale] of [
    ['an English policy on a German page', { 'aup.md': 'Be kind.\n' }, 'en'],
    ['control: a German one', { 'aup.md': 'Be kind.\n', 'aup.de.md': 'Seid nett.\n' }, 'de'],
  ] as const) {
    test(`${name} is recorded in its language, from the cookie and without one`, async (t) => {
      const { portal } = await startRelay(t, respondWith(YES), { env: policyFiles(t, files).env })
      for (const source of ['shown', 'assumed']) {
        const { page, target, reference } = acknowledgement()
        const german = { 'Accept-Language': 'de' }
        const shown = await exchange(portal, page, german)
        const headers = source === 'shown' ? { ...german, Cookie: cookieSet(shown) } : german
        assert.equal((await exchange(portal, target, headers)).status, 302)
        const sql = `select a.locale as acceptance, t.locale as attempt, a.document_source as source
          from acceptance a join attempt t on t.jti = a.jti where a.jti = '${reference}'`
        const rows = await query({ dialect: 'sqlite', path: portal.databasePath }, sql)
        assert.deepEqual(rows, [{ acceptance: locale, attempt: locale, source }])
      }
    })
  }
})

// A HEAD of /aup, and a GET that the browser prefetches, once set the session cookie for "this policy was shown". A
// later acknowledgement was then recorded with `document_source = shown` for a text that nobody had seen. Only a GET
// that a person triggers shows anything.
test('a policy was shown to nobody: only a GET by a person marks it as shown', async (t) => {
  const portal = await startPortal(t)
  for (const [method, headers, isShown] of [
    ['HEAD', {}, false],
    ['GET', { 'sec-purpose': 'prefetch' }, false],
    ['GET', { 'sec-purpose': 'prefetch;prerender' }, false],
    ['GET', { purpose: 'prefetch' }, false],
    ['GET', {}, true],
  ] as const) {
    const answered = await portal.get(acknowledgement().page, headers, method)
    assert.equal(answered.status, 200)
    const cookie = answered.headers.get('set-cookie') ?? ''
    assert.equal(cookie.startsWith('__Host-gateway-captive='), isShown, JSON.stringify([method, headers]))
  }
})
