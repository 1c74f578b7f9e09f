// Reflow of every page in every state, palette and language, and of those that terminator and proxy serve; and print.
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { PALETTES } from '../../src/portal/settings/brand.ts'
import { LOCALES } from '../../src/settings/sections/locales.ts'
import { launchHeadlessShell } from '../../test/support/browser.ts'
import { assertPrints } from '../../test/support/print.ts'
import { ENGINE_PAGES, filledProxyPage, PROXY_PAGES } from '../../test/support/proxy-pages.ts'
import { assertFilesReflow, assertReflows } from '../../test/support/reflow.ts'
import { skipWithoutChromium } from '../../test/support/requirement.ts'

const UNAVAILABLE = new URL('../../deploy/terminator/unavailable.html', import.meta.url)

describe('pages hold', { skip: skipWithoutChromium, concurrency: 2 }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchHeadlessShell()
  })
  after(() => browser?.close())

  for (const palette of PALETTES) {
    for (const locale of LOCALES) {
      test(`${palette}, ${locale}`, (t) => assertReflows(t, browser, { palette, locale }))
    }
  }

  for (const locale of LOCALES) {
    test(`terminator, proxy and engine, ${locale}`, (t) =>
      assertFilesReflow(t, browser, locale, {
        'unavailable.html': readFileSync(UNAVAILABLE, 'utf8'),
        ...Object.fromEntries(PROXY_PAGES.map((name) => [name, filledProxyPage(name)])),
        ...ENGINE_PAGES,
      }))
  }

  for (const locale of LOCALES) {
    test(`in print, ${locale}`, (t) => assertPrints(t, browser, locale))
  }
})
