// axe-core over every page in every state, palette, flavour and language.
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { PALETTES } from '../../src/config/brand.ts'
import { LOCALES } from '../../src/config/locales.ts'
import { assertAccessible } from '../../test/support/axe.ts'
import { launchChromium } from '../../test/support/browser.ts'
import { skipWithoutChromium } from '../../test/support/requirement.ts'

describe('axe-core finds nothing', { skip: skipWithoutChromium, concurrency: 2 }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser?.close())

  for (const palette of PALETTES) {
    for (const locale of LOCALES) {
      test(`${palette}, ${locale}`, (t) => assertAccessible(t, browser, { palette, locale, isDarkToo: true }))
    }
  }
})
