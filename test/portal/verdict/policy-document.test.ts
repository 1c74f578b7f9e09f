// The operator's policy as served: in the visitor's language if available, filled in like every other page, and recorded as
// the exact file. The language in the record: test/regressions/the-record-named-the-language-of-the-page.test.ts.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import type { VerdictClaims } from '../../../src/contract/verdict.ts'
import { loadPortalConfig } from '../../../src/portal/settings/load.ts'
import { policyDocuments } from '../../../src/portal/verdict/policy-document.ts'
import { complete } from '../../settings/load.ts'
import { catalogue } from '../../support/catalogue.ts'
import { ACK_TOKEN, claims, verdictTarget } from '../../support/payloads.ts'
import { policyFiles } from '../../support/policy-files.ts'
import { NOW, startPortal } from '../../support/portal.ts'
import { exchange } from '../exchange.ts'
import { elements, only, parsePage, textOf } from '../markup.ts'

/** About 20 KB, with every construct that a policy may contain. */
const LONG = `# Network rules\n\n${Array.from(
  { length: 40 },
  (_, index) => `## ${index + 1}. Use – Gebrauch\n\nUse it *well*, see [the notice](https://x.example/?a=1&b=2).\n
- Keep \`passwords\` to yourself “always”. $& $1 {0}\n- Do not share: ${'a word or two '.repeat(20)}\n\n> Logged for 30 days.\n\n`,
).join('')}`
const FRENCH = '# Règles du réseau\n\nÀ respecter.\n'

const files = policyFiles(undefined, { 'aup.md': LONG, 'aup.fr.md': FRENCH })
after(files.remove)
const portal = await startPortal({ after }, { env: { ENGINE_INTERNAL_URL: 'http://127.0.0.1:1', ...files.env } })

const documents = policyDocuments(catalogue, (await loadPortalConfig({ ...complete, ...files.env })).policyTexts)
const aup = { kind: 'aup', ack_token: ACK_TOKEN } as const

async function pageOf(changes: Partial<VerdictClaims>, locale = 'en') {
  const { status, body } = await exchange(portal, verdictTarget(claims(NOW, changes)), { 'Accept-Language': locale })
  assert.equal(status, 200)
  return parsePage(body)
}

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
  })

  test('has the text’s title instead of its own heading, and details below', async () => {
    const headings = (name: string, page: Awaited<ReturnType<typeof pageOf>>) => elements(page, name).map(textOf)
    assert.deepEqual(headings('h2', await pageOf(aup)), ['Network rules', 'Details'])
    assert.deepEqual(headings('h2', await pageOf(aup, 'fr')), ['Règles du réseau', 'Détails'])
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
      assert.match(textOf(target), /By unlocking the page, you accept this policy/)
      assert.deepEqual(await proceed({ override: { type } }, 'fr'), [])
    }
    assert.deepEqual(await proceed({ ack_token: undefined as never }, 'en'), [])
    assert.deepEqual(await proceed({}, 'fr'), [])
  })
})

test('the record has each text once, as auditors read it', () => {
  assert.equal(readFileSync(files.path, 'utf8'), LONG)
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  using database = new DatabaseSync(portal.databasePath, { timeout: 2_000 })
  const rows = database.prepare('select sha256, text, media_type, locale from document order by locale').all()
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [
      { sha256: sha256(LONG), text: LONG, media_type: 'text/markdown', locale: 'en' },
      { sha256: sha256(FRENCH), text: FRENCH, media_type: 'text/markdown', locale: 'fr' },
    ],
  )
})
