// Reflow of every page in every state, palette and language, and of those that terminator and proxy serve; and print.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { PALETTES } from '../../src/portal/settings/brand.ts'
import { LOCALES } from '../../src/settings/sections/locales.ts'
import { launchHeadlessShell } from '../../test/support/browser.ts'
import { DEFAULT_LOCALES } from '../../test/support/catalogue.ts'
import { openPreview } from '../../test/support/preview.ts'
import { assertPrintable, assertPrints } from '../../test/support/print.ts'
import { ENGINE_PAGES, filledProxyPage, filledUnavailablePage, PROXY_PAGES } from '../../test/support/proxy-pages.ts'
import { assertFilesReflow, assertReflows } from '../../test/support/reflow.ts'
import { skipWithoutChromium } from '../../test/support/requirement.ts'

describe('pages hold', { skip: skipWithoutChromium, concurrency: 2 }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchHeadlessShell()
  })
  after(() => browser?.close())

  // Amber differs from indigo in its colours only.
  for (const palette of ['indigo', 'bsod'] as const) {
    for (const locale of LOCALES) {
      test(`${palette}, ${locale}`, (t) => assertReflows(t, browser, { palette, locale }))
    }
  }

  for (const locale of DEFAULT_LOCALES) {
    test(`terminator, proxy and engine, ${locale}`, (t) =>
      assertFilesReflow(t, browser, locale, {
        'unavailable.html': filledUnavailablePage(),
        ...Object.fromEntries(PROXY_PAGES.map((name) => [name, filledProxyPage(name)])),
        ...ENGINE_PAGES,
      }))
  }

  for (const locale of LOCALES) {
    test(`in print, ${locale}`, (t) => assertPrints(t, browser, locale))
  }

  for (const palette of PALETTES) {
    test(`in print, ${palette}: without the dark flavour that the visitor has chosen`, async (t) => {
      const { preview, page } = await openPreview(t, browser, { palette }, { colorScheme: 'light' })
      await page.goto(preview.address + preview.states[0]?.target)
      await page.click('#theme')
      assert.equal(await page.locator('#dark').getAttribute('media'), 'screen')
      await assertPrintable(page, palette)
    })
  }
})
