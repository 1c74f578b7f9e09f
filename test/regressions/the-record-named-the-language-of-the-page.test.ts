// With an English policy only, a German visitor reads it on a German page. The acceptance said `locale = de`, although no
// German text existed: the record had the page's language, from the cookie and without it. Since the first version. It has the
// language of the text.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { acknowledgement, startRelay } from '../portal/acknowledgement/relay.ts'
import { cookieSet, exchange } from '../portal/exchange.ts'
import { query } from '../support/databases.ts'
import { rawResponse, respondWith } from '../support/hostile-engine.ts'
import { policyFiles } from '../support/policy-files.ts'

const YES = respondWith(rawResponse('302 Found', ['Location: https://news.example/']))

/** What a portal with these policies records for a German visitor. */
async function recordedLocales(files: Readonly<Record<string, string>>) {
  const folder = policyFiles(undefined, files)
  after(folder.remove)
  const { portal } = await startRelay({ after }, YES, { env: folder.env })
  return async (withCookie: boolean): Promise<unknown[]> => {
    const { page, target, reference } = acknowledgement()
    const german = { 'Accept-Language': 'de' }
    const shown = await exchange(portal, page, german)
    const headers = withCookie ? { ...german, Cookie: cookieSet(shown) } : german
    assert.equal((await exchange(portal, target, headers)).status, 302)
    const sql = `select a.locale as acceptance, t.locale as attempt, a.document_source as source
      from acceptance a join attempt t on t.jti = a.jti where a.jti = '${reference}'`
    return await query({ dialect: 'sqlite', path: portal.databasePath }, sql)
  }
}

describe('an English policy on a German page', async () => {
  const recorded = await recordedLocales({ 'aup.md': '# Rules\n\nBe kind.\n' })
  test('is recorded as English, from the cookie', async () => {
    assert.deepEqual(await recorded(true), [{ acceptance: 'en', attempt: 'en', source: 'shown' }])
  })
  test('is recorded as English, without a cookie', async () => {
    assert.deepEqual(await recorded(false), [{ acceptance: 'en', attempt: 'en', source: 'assumed' }])
  })
})

describe('control: a German policy on a German page', async () => {
  const recorded = await recordedLocales({ 'aup.md': '# Rules\n\nBe kind.\n', 'aup.de.md': '# Regeln\n\nSeid nett.\n' })
  test('is recorded as German', async () => {
    assert.deepEqual(await recorded(true), [{ acceptance: 'de', attempt: 'de', source: 'shown' }])
  })
})
