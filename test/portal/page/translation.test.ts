// What a browser's translation must leave alone, on every page: addresses, rules, references, codes, fingerprints, commands,
// file names. Chromium, Firefox and Safari obey `translate="no"`.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { reachedPage } from '../../../demo/pages.ts'
import { startPreview } from '../../support/preview.ts'
import { type Element, elements, parsePage, textOf } from '../markup.ts'

const preview = await startPreview()
after(() => preview.close())

/** Each in a text of the preview's pages. */
const LITERAL: Readonly<Record<string, RegExp>> = {
  'an address': /https?:\/\/|\w\.example\b|chrome:\/\//,
  'a rule': /sample-rule/,
  'a reference': /cHJldmlldy1yZWZlcmVuYw/,
  'a contact': /helpdesk@|\+41 44 123 45 67/,
  'a fingerprint': /^(?:[0-9A-F]{2}:?){4}$/,
  'a command': /\bsudo |certutil/,
  'a file name': /gateway-ca-[0-9a-f]{8}/,
  'a certificate': /(?:Sample|Next) (?:Sample )?Interception CA|CN=/,
  'a code': /\b123456\b|open sesame/,
}

/** Texts that a browser may translate. */
function translatable({ name, attributes, children }: Element): string[] {
  if (attributes.translate === 'no' || ['style', 'script', 'title'].includes(name)) return []
  return children.flatMap((child) => (typeof child === 'string' ? [child] : translatable(child)))
}

test('no page has one where a browser translates', async () => {
  const found = new Map<string, number>()
  for (const [name, address] of [...preview.pages, ['index', `${preview.address}/`]] as const) {
    const page = parsePage(await (await fetch(address, { headers: { connection: 'close' } })).text())
    const texts = translatable(page)
    for (const [what, pattern] of Object.entries(LITERAL)) {
      assert.deepEqual(
        texts.filter((text) => pattern.test(text)),
        [],
        `${what}: ${name}`,
      )
      if (pattern.test(textOf(page))) found.set(what, (found.get(what) ?? 0) + 1)
    }
    for (const code of elements(page, 'code')) assert.deepEqual(translatable(code), [], name)
  }
  // A fingerprint is in pieces.
  const seen = Object.keys(LITERAL).filter((what) => what !== 'a fingerprint')
  assert.deepEqual(
    seen.filter((what) => !found.has(what)),
    [],
    'the patterns match something',
  )
})

test('and there is text that it translates', async () => {
  const page = parsePage(await (await fetch(preview.page('blocked'), { headers: { connection: 'close' } })).text())
  assert.ok(translatable(page).some((text) => text.includes('This site was registered only a few days ago.')))
})

test('the site that the demo reaches', () => {
  const page = parsePage(reachedPage('https://news.example/today?id=7', 'http://localhost/').toString())
  assert.doesNotMatch(translatable(page).join(' '), /news\.example/)
})
