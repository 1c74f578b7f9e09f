// Every page in every state and language: axe-core, also in every palette and flavour, the keyboard, and forced colours.
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { PALETTES } from '../../src/portal/settings/brand.ts'
import { LOCALES } from '../../src/settings/sections/locales.ts'
import { assertAccessible } from '../../test/support/axe.ts'
import { launchHeadlessShell } from '../../test/support/browser.ts'
import { assertVisibleInForcedColours, FORCED } from '../../test/support/forced-colours.ts'
import { skipWithoutChromium } from '../../test/support/requirement.ts'
import { assertTabStops } from '../../test/support/tab-stops.ts'

describe('every page', { skip: skipWithoutChromium, concurrency: 2 }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchHeadlessShell()
  })
  after(() => browser?.close())

  for (const palette of PALETTES) {
    for (const locale of LOCALES) {
      test(`axe-core finds nothing: ${palette}, ${locale}`, (t) => assertAccessible(t, browser, { palette, locale }))
    }
  }

  for (const locale of LOCALES) {
    test(`Tab reaches each control in order, with a visible focus that nothing covers: ${locale}`, (t) =>
      assertTabStops(t, browser, locale))
  }

  for (const forced of FORCED) {
    test(`text, edges, shapes and focus stay visible in forced colours, ${forced.colorScheme}`, (t) =>
      assertVisibleInForcedColours(t, browser, forced))
  }
})
