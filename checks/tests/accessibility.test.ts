// Every page in every state and language: axe-core, also in every palette and flavour, the keyboard, and forced colours. A state
// has the same markup in every language and palette (test/browser/accessibility.test.ts), so that not each is combined with each.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { PALETTES } from '../../src/portal/settings/brand.ts'
import { LOCALES } from '../../src/settings/sections/locales.ts'
import { assertAccessible } from '../../test/support/axe.ts'
import { launchHeadlessShell } from '../../test/support/browser.ts'
import { assertVisibleInForcedColours, FORCED } from '../../test/support/forced-colours.ts'
import { openPreview } from '../../test/support/preview.ts'
import { skipWithoutChromium } from '../../test/support/requirement.ts'
import { assertTabStops } from '../../test/support/tab-stops.ts'

describe('every page', { skip: skipWithoutChromium, concurrency: 2 }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchHeadlessShell()
  })
  after(() => browser?.close())

  const [palette, ...palettes] = PALETTES
  for (const scope of [
    ...LOCALES.map((locale) => ({ palette, locale })),
    ...palettes.map((palette) => ({ palette, locale: 'en' as const })),
  ]) {
    test(`axe-core finds nothing: ${scope.palette}, ${scope.locale}`, (t) => assertAccessible(t, browser, scope))
  }

  for (const locale of LOCALES) {
    test(`Tab reaches each control in order, with a visible focus that nothing covers: ${locale}`, (t) =>
      assertTabStops(t, browser, locale))
  }

  for (const palette of PALETTES) {
    test(`without script ${palette} follows the system’s light or dark setting`, async (t) => {
      const { preview, page, states } = await openPreview(t, browser, { palette }, { javaScriptEnabled: false })
      const grounds: string[] = []
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.goto(preview.address + states[0]?.target)
        assert.equal(await page.evaluate('getComputedStyle(document.documentElement).colorScheme'), colorScheme)
        assert.equal(await page.locator('#theme').isVisible(), false)
        grounds.push(String(await page.evaluate('getComputedStyle(document.body).backgroundColor')))
      }
      assert.notEqual(grounds[0], grounds[1])
    })
  }

  for (const forced of FORCED) {
    test(`text, edges, shapes and focus stay visible in forced colours, ${forced.colorScheme}`, (t) =>
      assertVisibleInForcedColours(t, browser, forced))
  }
})
