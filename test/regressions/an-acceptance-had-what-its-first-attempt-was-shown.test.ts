// An acceptance recorded what its first attempt was shown. After a wrong code without a cookie, and then the right code
// from a browser that had shown the policy, the record said `assumed`, with the wrong language and the previous text;
// since the first version of the ledger.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { acknowledgement, PASSPHRASE } from '../portal/acknowledgement/relay.ts'
import { cookieSet, exchange } from '../portal/exchange.ts'
import { databases, query } from '../support/databases.ts'
import { rawResponse, respondWith, startHostileEngine } from '../support/hostile-engine.ts'
import { startPortal } from '../support/portal.ts'
import { postgresUrl } from '../support/postgres-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const YES = rawResponse('302 Found', ['Location: https://news.example/'])
const NO = rawResponse('403 Forbidden')
const CODE = { 'X-Override-Code': '1234' }

/** Starts two portals with one ledger; the first still has the previous version of the policy. */
async function setUp(t: TestContext, database: (typeof databases)[number]) {
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

const SHOWN = 'policy_version, locale, document_source, document_sha256, client_address'

for (const database of databases) {
  describe(`an acceptance records what its accepted attempt was shown, ${database.name}`, () => {
    test('a wrong code without a cookie, then the right one after reading', async (t) => {
      const { engine, before, now, rows } = await setUp(t, database)
      const { target, page } = acknowledgement(PASSPHRASE)
      assert.equal((await exchange(before, target, { ...CODE, 'Accept-Language': 'en' })).status, 403)
      const cookie = cookieSet(await exchange(now, page, { 'Accept-Language': 'de' }))
      engine.behave(respondWith(YES))
      assert.equal((await exchange(now, target, { ...CODE, Cookie: cookie })).status, 302)

      const [acceptance] = await rows(`select state, attempts, policy_version, locale, document_source from acceptance`)
      assert.deepEqual(acceptance, {
        state: 'accepted',
        attempts: 2,
        policy_version: 'current',
        locale: 'de',
        document_source: 'shown',
      })
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
      const { engine, before, now, rows } = await setUp(t, database)
      engine.behave((socket, request) => socket.end(/^x-override-code: right\r$/im.test(request) ? YES : NO))
      for (let round = 0; round < 8; round++) {
        const { target, page, reference } = acknowledgement(PASSPHRASE)
        const send = async (portal: typeof now, language: string, code: string) => {
          const cookie = cookieSet(await exchange(portal, page, { 'Accept-Language': language }))
          return (await exchange(portal, target, { Cookie: cookie, 'X-Override-Code': code })).status
        }
        const statuses = await Promise.all([send(before, 'it', 'right'), send(now, 'fr', 'wrong')])
        assert.deepEqual(statuses, [302, 403])
        const where = `where jti = '${reference}'`
        assert.deepEqual(await rows(`select policy_version, locale, state from acceptance ${where}`), [
          { policy_version: 'previous', locale: 'it', state: 'accepted' },
        ])
        const attempts = await rows(`select locale, engine_status from attempt ${where} order by locale`)
        assert.deepEqual(attempts, [
          { locale: 'fr', engine_status: 403 },
          { locale: 'it', engine_status: 302 },
        ])
      }
    })

    test('control: the right code at once, after reading', async (t) => {
      const { engine, now, rows } = await setUp(t, database)
      engine.behave(respondWith(YES))
      const { target, page } = acknowledgement(PASSPHRASE)
      const cookie = cookieSet(await exchange(now, page, { 'Accept-Language': 'de' }))
      await exchange(now, target, { ...CODE, Cookie: cookie })
      assert.deepEqual(await rows(`select policy_version, locale, document_source from acceptance`), [
        { policy_version: 'current', locale: 'de', document_source: 'shown' },
      ])
    })
  })
}
