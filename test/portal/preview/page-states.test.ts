// Every page of the preview: its size, and what a browser's translation must leave alone.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { reachedPage } from '../../../demo/pages.ts'
import { PALETTES } from '../../../src/portal/settings/brand.ts'
import { LOCALES, type Locale } from '../../../src/settings/sections/locales.ts'
import { DEFAULT_LOCALES } from '../../support/catalogue.ts'
import { type RunningPreview, startPreview } from '../../support/preview.ts'
import { type Element, elements, parsePage, textOf } from '../markup.ts'

const preview = await startPreview({}, { after })

const get = (address: string, locale = 'en') =>
  fetch(address, { headers: { 'accept-language': locale, connection: 'close' } })

/** Four at a time: with more, the script completes the language menu. */
const LANGUAGES: readonly (readonly Locale[])[] = [DEFAULT_LOCALES, ['en', 'es', 'pt', 'nl'], ['en', 'nl', 'pl', 'ar']]

/** A page is one response that fits the first round trip. Visitors stay on the certificate page. Arabic letters have two bytes. */
function mostBytes(name: string, locale: string): number {
  const [page, certificate] = locale === 'ar' ? [16, 30] : [14, 28]
  return (name.startsWith('certificate') ? certificate : page) * 1024
}

/** Its values exceed the 600 characters of payload for which sizes are specified. */
const LONGER_PAYLOAD = 'blocked-hostile'

// Longer than most: the limit leaves room for it.
const GATEWAY_CAPTIVE_SUPPORT_TEXT = 'Service informatique, bâtiment B, bureau 2.14, +41 44 123 45 67'

/** @returns the bytes of each page that is too large, by name and language */
async function tooLarge(
  { pages }: RunningPreview,
  locales: readonly Locale[],
  isMeant = (_name: string) => true,
): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const [name, address] of pages) {
    if (name === LONGER_PAYLOAD || !isMeant(name)) continue
    for (const locale of locales) {
      const response = await get(address, locale)
      assert.equal(response.headers.get('content-language'), locale)
      const { byteLength } = await response.arrayBuffer()
      if (byteLength > mostBytes(name, locale)) found[`${name} ${locale}`] = byteLength
    }
  }
  return found
}

test('each is small enough, in every palette and language, with logo, support and certificate', async (t) => {
  for (const palette of PALETTES) {
    // The largest pages are French.
    for (const languages of palette === 'indigo' ? LANGUAGES : [DEFAULT_LOCALES]) {
      const env = {
        GATEWAY_CAPTIVE_BRAND_PALETTE: palette,
        GATEWAY_CAPTIVE_SUPPORTED_LOCALES: languages.join(','),
        GATEWAY_CAPTIVE_SUPPORT_TEXT,
      }
      assert.deepEqual(await tooLarge(await startPreview(env, t), languages), {}, palette)
    }
  }
})

// A policy with a code is larger there.
test('so are all pages but a policy with a code with a menu of all languages', async (t) => {
  const env = { GATEWAY_CAPTIVE_SUPPORTED_LOCALES: LOCALES.join(','), GATEWAY_CAPTIVE_SUPPORT_TEXT }
  const isOther = (name: string) => !/^aup-.*(?:pin|passphrase)/.test(name)
  assert.deepEqual(await tooLarge(await startPreview(env, t), LOCALES, isOther), {})
})

test('the sheet and the time of opening are shown', async () => {
  const shown = async (name: string) => textOf(parsePage(await (await get(preview.page(name))).text()))
  assert.match(await shown('blocked-opens'), /This opens again today at 12:00\./)
  assert.match(await shown('certificate-hand-out'), /Connect to the network\. Scan this code/)
})

// Chromium, Firefox and Safari obey `translate="no"`.
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

test('a translation leaves addresses, rules, references, codes, fingerprints, commands and file names alone', async () => {
  // A fingerprint is in pieces.
  const missing = new Set(Object.keys(LITERAL).filter((what) => what !== 'a fingerprint'))
  for (const [name, address] of [...preview.pages, ['index', `${preview.address}/`]] as const) {
    const page = parsePage(await (await get(address)).text())
    const texts = translatable(page)
    for (const [what, pattern] of Object.entries(LITERAL)) {
      const found = texts.filter((text) => pattern.test(text))
      assert.deepEqual(found, [], `${what}: ${name}`)
      if (pattern.test(textOf(page))) missing.delete(what)
    }
    for (const code of elements(page, 'code')) assert.deepEqual(translatable(code), [], name)
  }
  assert.deepEqual([...missing], [], 'the patterns match something')
  const blocked = parsePage(await (await get(preview.page('blocked'))).text())
  assert.ok(translatable(blocked).some((text) => text.includes('This site was registered only a few days ago.')))
  const reached = parsePage(reachedPage('https://news.example/today?id=7', 'http://localhost/').toString())
  assert.doesNotMatch(translatable(reached).join(' '), /news\.example/)
})
