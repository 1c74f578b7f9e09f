// axe-core over every page in every state, palette, flavour and language.
//
// A language changes words and a palette changes colours; the markup is one, which the first test holds, but for the face
// of one palette. A flavour changes nothing but colours (test/portal/pages/branding.test.ts). So every rule runs over
// each language once and over each palette once, the rules of colour over each flavour, and no combination of them
// holds anything that none of these has shown.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { PALETTES, type Palette } from '../../src/config/brand.ts'
import { LOCALES, type Locale } from '../../src/config/locales.ts'
import { type Element, parsePage } from '../portal/markup.ts'
import { launchChromium, openPage } from '../support/browser.ts'
import { showState, startPreview } from '../support/preview.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

const { source } = createRequire(import.meta.url)('axe-core') as { source: string }

const ONLY = `resultTypes: ['violations']`

/** Elements with their classes and names, without words. */
function markup({ name, attributes, children }: Element): string {
  const { class: kind, ...others } = attributes
  const isFigure = kind === 'face' || kind?.startsWith('shape')
  if (isFigure) return '<figure>'
  const inside = children.map((child) => (typeof child === 'string' ? '' : markup(child))).join('')
  return `<${name} ${kind} ${attributes.id} ${Object.keys(others)}>${inside}</>`
}

test('a state has one markup in every language and palette', async (t) => {
  const known = new Map<string, string>()
  for (const palette of PALETTES) {
    const preview = await startPreview({ GATEWAY_CAPTIVE_BRAND_PALETTE: palette })
    t.after(() => preview.close())
    for (const { name, target } of preview.states) {
      for (const locale of LOCALES) {
        const headers = { 'accept-language': locale, connection: 'close' }
        const page = markup(parsePage(await (await fetch(preview.address + target, { headers })).text()))
        assert.equal(page, known.get(name) ?? page, `${name}, ${palette}, ${locale}`)
        known.set(name, page)
      }
    }
  }
})

describe('axe-core finds nothing', { skip: skipWithoutChromium, concurrency: 2 }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser?.close())

  async function everyState(t: TestContext, palette: Palette, locale: Locale, isDarkToo: boolean) {
    const preview = await startPreview({ GATEWAY_CAPTIVE_BRAND_PALETTE: palette })
    t.after(() => preview.close())
    const { page, allow } = await openPage(t, browser, { locale })
    // The outcomes have the statuses that they have.
    allow(/Failed to load resource: the server responded with a status of [45]\d\d/)
    await page.addInitScript({ content: source })
    for (const state of preview.states) {
      await page.emulateMedia({ colorScheme: 'light' })
      await showState(page, preview, state)
      assert.equal(await page.evaluate('document.documentElement.lang'), locale)
      await assertNothingFound(page, `axe.run({ ${ONLY} })`, state.name)
      if (!isDarkToo) continue
      await page.emulateMedia({ colorScheme: 'dark' })
      await assertNothingFound(page, `axe.run({ ${ONLY}, runOnly: ['cat.color'] })`, `${state.name}, dark`)
    }
  }

  for (const palette of PALETTES) test(`in ${palette}, light and dark`, (t) => everyState(t, palette, 'en', true))
  for (const locale of LOCALES.filter((other) => other !== 'en')) {
    test(`in ${locale}`, (t) => everyState(t, 'indigo', locale, false))
  }
})

async function assertNothingFound(page: Page, run: string, where: string): Promise<void> {
  const violations = (await page.evaluate(`${run}.then((found) => found.violations)`)) as AxeResults['violations']
  const found = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`))
  assert.deepEqual(found, [], where)
}
