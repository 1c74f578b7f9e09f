// axe-core over pages of most layouts. `npm run check -- accessibility` runs every state in every palette and language.
//
// A language changes text and a palette changes colours; the markup is the same, as the first test proves, except for
// the face of one palette. The colours are those of test/portal/page/theme/palettes.test.ts.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { PALETTES } from '../../src/portal/settings/brand.ts'
import { LOCALES } from '../../src/settings/sections/locales.ts'
import { type Element, parsePage } from '../portal/markup.ts'
import { assertAccessible } from '../support/axe.ts'
import { launchHeadlessShell } from '../support/browser.ts'
import { BRIEF, startPreview } from '../support/preview.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

/** Elements with their classes and names, without words. `lang` is where the words are in another language than the page. */
function markup({ name, attributes, children }: Element): string {
  const { class: kind, lang: _, ...others } = attributes
  const isFigure = kind === 'face' || kind?.startsWith('shape')
  if (isFigure) return '<figure>'
  const inside = children.map((child) => (typeof child === 'string' ? '' : markup(child))).join('')
  return `<${name} ${kind} ${attributes.id} ${Object.keys(others)}>${inside}</>`
}

test('a state has the same markup in every language and palette', async (t) => {
  const known = new Map<string, string>()
  for (const palette of PALETTES) {
    const preview = await startPreview({ GATEWAY_CAPTIVE_BRAND_PALETTE: palette }, t)
    for (const { name, target } of preview.states) {
      // Every language in one palette, and one in the others.
      for (const locale of palette === PALETTES[0] ? LOCALES : LOCALES.slice(0, 1)) {
        const headers = { 'accept-language': locale, connection: 'close' }
        const page = markup(parsePage(await (await fetch(preview.address + target, { headers })).text()))
        assert.equal(page, known.get(name) ?? page, `${name}, ${palette}, ${locale}`)
        known.set(name, page)
      }
    }
  }
})

describe('axe-core finds nothing', { skip: skipWithoutChromium, concurrency: 2 }, async () => {
  const browser = await launchHeadlessShell({ after })

  test('in most layouts', (t) => assertAccessible(t, browser, { palette: 'indigo', locale: 'en', states: BRIEF }))

  test('on the page with a face', (t) =>
    assertAccessible(t, browser, { palette: 'bsod', locale: 'en', states: ['blocked'] }))
})
