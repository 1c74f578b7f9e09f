// The privacy notice with what the operator adds, rendered like a policy: verdict/operator-policy.test.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue } from '../../support/catalogue.ts'
import { policyFiles } from '../../support/policy-files.ts'
import { startPortal } from '../../support/portal.ts'
import { exchange } from '../exchange.ts'
import { type Element, elements, parsePage, textOf } from '../markup.ts'

/** The settings of a portal whose policy is off. */
const nextToThePolicy = ({ path }: { path: string }) => ({ GATEWAY_CAPTIVE_AUP_PATH: path })

const additions = (page: Element) => elements(page, 'main').flatMap((main) => elements(main, 'div'))

const headings = (page: Element) =>
  ['h2', 'h3'].flatMap((name) => elements(page, name).map((heading) => `${name} ${textOf(heading)}`))

test('it ends with the operator’s text in the page’s language, or in the default one', async (t) => {
  const files = policyFiles(t, {
    'privacy.md': '# 6. Data protection officer\n\n<dpo@school.example>\n\n## How long\n\n90 days.',
    'privacy.de.md': '# 6. Datenschutzbeauftragte\n\nFrau Rossi',
  })
  const portal = await startPortal(t, { env: nextToThePolicy(files) })
  const pages: Record<string, Element> = {}
  for (const locale of ['en', 'de', 'fr'] as const) {
    const { body } = await exchange(portal, '/privacy', { 'accept-language': locale })
    const page = parsePage(body)
    pages[locale] = page
    const before = body.indexOf(catalogue[locale].privacy.contact.heading)
    assert.ok(before > 0 && before < body.indexOf('>6. '), locale)
  }
  const { en, de, fr } = pages
  assert.deepEqual(headings(en as Element).slice(5), ['h2 6. Data protection officer', 'h3 How long'])
  assert.deepEqual(headings(de as Element).slice(5), ['h2 6. Datenschutzbeauftragte'])
  assert.deepEqual(headings(fr as Element).slice(5), headings(en as Element).slice(5))
  const marked = Object.values(pages).map((page) => additions(page).map(({ attributes }) => attributes.lang))
  assert.deepEqual(marked, [[undefined], [undefined], ['en']])
})

test('without a file, it has its five sections', async (t) => {
  const portal = await startPortal(t, { env: nextToThePolicy(policyFiles(t, { 'aup.md': 'x' })) })
  const page = parsePage((await exchange(portal, '/privacy')).body)
  assert.equal(headings(page).length, 5)
  assert.deepEqual(additions(page), [])
})
