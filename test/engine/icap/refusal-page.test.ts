// The pages of refused requests. checks/browser/proxy-pages.test.ts opens them in a browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalPage } from '../../../src/engine/icap/refusal-page.ts'

test('a page has four languages, and loads nothing', () => {
  const page = Buffer.from(refusalPage('ambiguous path'), 'latin1').toString()
  const sections = [...page.matchAll(/<section lang="(..)">\n<h1>([^<>&"]+)<\/h1>\n<p>([^<>&"]+)<\/p>\n<\/section>/g)]
  assert.deepEqual(
    sections.map(([, language]) => language),
    ['en', 'fr', 'de', 'it'],
  )
  assert.equal(new Set(sections.map(([, , heading]) => heading)).size, 4)
  assert.ok(page.includes('<h1>La passerelle ne peut pas vérifier cette adresse</h1>') && page.includes('can’t'))
  assert.match(page, /<footer lang="en" translate="no">ambiguous path<\/footer>/)
  // Each placeholder is filled in, and no code of Squid's is left.
  assert.doesNotMatch(page, /\$\{|%|https?:|@import|url\(|<link(?! rel="icon" href="data:,")/)
})
