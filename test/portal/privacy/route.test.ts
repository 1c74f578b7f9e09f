// The privacy notice with what the operator adds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue } from '../../../src/portal/page/i18n/catalogue.ts'
import { HOSTILE_MARKDOWN } from '../../support/hostile.ts'
import { policyFiles } from '../../support/policy-files.ts'
import { startPortal } from '../../support/portal.ts'
import { exchange } from '../exchange.ts'
import { attributesOf, type Element, elements, parsePage, textOf } from '../markup.ts'

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

test('whatever else is in the query, or a slash at the end, is ignored', async (t) => {
  const portal = await startPortal(t)
  const page = async (target: string) => {
    const { status, body } = await exchange(portal, target)
    return [status, body]
  }
  for (const query of ['?', '?utm_source=x', '?lang=xx', '?lang', '?gclid=1&lang']) {
    for (const path of ['/privacy', '/privacy/']) assert.deepEqual(await page(path + query), await page('/privacy'))
  }
  for (const query of ['fbclid=x&lang=de', 'lang=de&fbclid=x']) {
    assert.deepEqual(await page(`/privacy/?${query}`), await page('/privacy?lang=de'))
  }
  assert.equal((await page('/privacy//'))[0], 404)
})

test('hostile Markdown adds no element, attribute or address that a policy may not have', async (t) => {
  const corpus = HOSTILE_MARKDOWN.filter(
    (text) => !text.includes('never ended') && !/[[\p{Cc}\p{Noncharacter_Code_Point}]--[\t\n]]/v.test(text),
  )
  const files = policyFiles(t, { 'privacy.md': corpus.join('\n\n') })
  const portal = await startPortal(t, { env: nextToThePolicy(files) })
  const [addition] = additions(parsePage((await exchange(portal, '/privacy')).body))
  assert.ok(addition !== undefined && elements(addition, 'a').length > 40)
  for (const name of ['script', 'img', 'iframe', 'form', 'style', 'link', 'svg']) {
    assert.deepEqual(elements(addition, name), [], name)
  }
  for (const { name, value } of attributesOf(addition)) {
    assert.match(name, /^(href|rel|start|translate)$/)
    if (name === 'href') assert.match(value, /^(https?|mailto):[\x21-\x7e]+$/)
  }
})
