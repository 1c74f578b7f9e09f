// The operator's policy as served: only on `/aup`, in the visitor's language if available, filled in like every other
// page, and recorded as the exact file.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import type { VerdictClaims } from '../../../src/contract/verdict.ts'
import { loadPortalConfig } from '../../../src/portal/settings/load.ts'
import { policyDocuments } from '../../../src/portal/verdict/policy-document.ts'
import { complete } from '../../settings/load.ts'
import { rawResponse, respondWith } from '../../support/hostile-engine.ts'
import { ACK_TOKEN, claims, verdictTarget } from '../../support/payloads.ts'
import { policyFiles } from '../../support/policy-files.ts'
import { NOW, startPortal } from '../../support/portal.ts'
import { acknowledgement, startRelay } from '../acknowledgement/relay.ts'
import { cookieSet, exchange } from '../exchange.ts'
import { elements, only, parsePage, textOf } from '../markup.ts'

/** About 20 KB, with every construct that a policy may contain. */
const LONG = `# Network rules\n\n${Array.from(
  { length: 40 },
  (_, index) => `## ${index + 1}. Use – Gebrauch\n\nUse it *well*, see [the notice](https://x.example/?a=1&b=2).\n
- Keep \`passwords\` to yourself “always”. $& $1 {0}\n- Do not share: ${'a word or two '.repeat(20)}\n\n> Logged for 30 days.\n\n`,
).join('')}`
const FRENCH = '# Règles du réseau\n\nÀ respecter.\n'

const files = policyFiles(undefined, { 'aup.md': LONG, 'aup.fr.md': FRENCH })
const { portal, engine, close } = await startRelay(
  undefined,
  respondWith(rawResponse('302 Found', ['Location: https://news.example/'])),
  { env: files.env },
)
const builtIn = await startPortal(undefined, { env: { ENGINE_INTERNAL_URL: engine.url } })
after(async () => {
  await close()
  await builtIn.close()
  files.remove()
})

const documents = policyDocuments((await loadPortalConfig({ ...complete, ...files.env })).policyTexts)
const aup = { kind: 'aup', ack_token: ACK_TOKEN } as const

async function bodyOf(changes: Partial<VerdictClaims>, locale = 'en', from = portal): Promise<string> {
  const { status, body } = await exchange(from, verdictTarget(claims(NOW, changes)), { 'Accept-Language': locale })
  assert.equal(status, 200)
  return body
}

const pageOf = async (changes: Partial<VerdictClaims>, locale?: string) => parsePage(await bodyOf(changes, locale))

describe('the page', () => {
  test('is at most 24 KB, with the complete text and the visitor’s values', async (t) => {
    const verdict = claims(NOW, { ...aup, rule_name: 'a $& rule', rule_description: 'because \ufdd00\ufdd1' })
    const { body } = await exchange(portal, verdictTarget(verdict))
    const { markup } = documents.en
    assert.ok(body.includes(markup.toString()))
    const around = Buffer.byteLength(body) - Buffer.byteLength(markup.toString())
    t.diagnostic(`${Buffer.byteLength(LONG)} bytes of Markdown; the page without their markup has ${around}`)
    assert.ok(around <= 24 * 1024)
    const text = textOf(parsePage(body))
    for (const own of ['a $& rule', 'because \ufdd00\ufdd1', verdict.jti]) assert.equal(text.split(own).length, 2, own)
    const again = await bodyOf(aup)
    assert.ok(again.includes(markup.toString()) && !again.includes(verdict.jti))
  })

  test('has the text’s title instead of its own heading, and details below', async () => {
    const headings = (name: string, page: Awaited<ReturnType<typeof pageOf>>) => elements(page, name).map(textOf)
    assert.deepEqual(headings('h2', await pageOf(aup)), ['Network rules', 'Details'])
    assert.deepEqual(headings('h2', await pageOf(aup, 'fr')), ['Règles du réseau', 'Détails'])
    assert.equal((await pageOf(aup)).attributes.lang, 'en')
  })

  test('marks a text in another language', async () => {
    const langs = async (locale: string) =>
      elements(await pageOf(aup, locale), 'div').flatMap(({ attributes }) => attributes.lang ?? [])
    assert.deepEqual(await langs('de'), ['en'])
    assert.deepEqual(await langs('fr'), [])
    assert.deepEqual(await langs('en'), [])
    assert.equal(documents.de.locale, 'en')
  })

  test('makes the footer sticky only for a long text: the link, or a link to the field', async () => {
    const proceed = async (changes: Partial<VerdictClaims>, locale: string) =>
      elements(await pageOf({ ...aup, ...changes }, locale), 'div')
        .filter(({ attributes }) => attributes.class?.startsWith('proceed'))
        .flatMap((element) => elements(element, 'a').map(({ attributes }) => attributes.href))
    assert.match(String(await proceed({}, 'en')), /^\/api\/captive\/ack\?/)
    for (const type of ['pin', 'passphrase'] as const) {
      assert.deepEqual(await proceed({ override: { type } }, 'en'), ['#accept'])
      const target = only(await pageOf({ ...aup, override: { type } }), 'id', 'accept')
      assert.match(textOf(target), /^By unlocking the page, you accept this policy/)
      assert.deepEqual(await proceed({ override: { type } }, 'fr'), [])
    }
    assert.deepEqual(await proceed({ ack_token: undefined as never }, 'en'), [])
    assert.deepEqual(await proceed({}, 'fr'), [])
    const links = elements(await pageOf(aup, 'fr'), 'a').filter(({ attributes }) => attributes.class === 'primary')
    assert.equal(links.length, 1)
  })

  test('is the only page that changes', async () => {
    for (const changes of [{ kind: 'block' }, { kind: 'warn', ack_token: ACK_TOKEN }] as const) {
      const verdict = verdictTarget(claims(NOW, changes))
      const [own, other] = await Promise.all([exchange(portal, verdict), exchange(builtIn, verdict)])
      const withoutStyle = ({ body }: typeof own) => body.replace(/<style>.*?<\/style>/s, '')
      assert.equal(withoutStyle(own), withoutStyle(other))
    }
    assert.doesNotMatch(await bodyOf(aup, 'en', builtIn), /Network rules/)
  })
})

describe('the record', () => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const query = (sql: string) => {
    using database = new DatabaseSync(portal.databasePath, { timeout: 2_000 })
    return database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }))
  }

  test('stores each text once, as auditors read it', () => {
    assert.equal(readFileSync(files.path, 'utf8'), LONG)
    assert.deepEqual(query('select sha256, text, media_type, locale from document order by locale'), [
      { sha256: sha256(LONG), text: LONG, media_type: 'text/markdown', locale: 'en' },
      { sha256: sha256(FRENCH), text: FRENCH, media_type: 'text/markdown', locale: 'fr' },
    ])
  })

  test('names the text that was shown and its language, whatever the page’s', async () => {
    for (const [locale, text, language] of [
      ['fr', FRENCH, 'fr'],
      ['de', LONG, 'en'],
    ] as const) {
      const { page, target, reference } = acknowledgement()
      const Cookie = cookieSet(await exchange(portal, page, { 'Accept-Language': locale }))
      assert.equal((await exchange(portal, target, { Cookie })).status, 302)
      const found = query(`select document_sha256, document_source, locale from acceptance where jti = '${reference}'`)
      assert.deepEqual(found, [{ document_sha256: sha256(text), document_source: 'shown', locale: language }])
    }
  })
})
