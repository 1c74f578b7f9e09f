// In print, one page of each kind and the longest ones. `npm run check -- reflow` prints every state in every language.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { PALETTES } from '../../src/portal/settings/brand.ts'
import { launchHeadlessShell } from '../../test/support/browser.ts'
import { openPreview } from '../../test/support/preview.ts'
import { assertPrintable, assertPrints } from '../../test/support/print.ts'
import { skipWithoutChromium } from '../../test/support/requirement.ts'

/** A page of each kind, and those that come closest to the number of pages they may take. */
const STATES = [
  ...['blocked', 'warned-pin-incomplete', 'certificate-expiring', 'outcome-internal', 'frame-notice'],
  ...['certificate-next', 'privacy', 'aup-terminal', 'blocked-hostile'],
]

describe('print', { skip: skipWithoutChromium }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchHeadlessShell()
  })
  after(() => browser?.close())

  test('one page, black on white, no controls', (t) =>
    // German has the longest pages.
    assertPrints(t, browser, 'de', STATES))

  for (const palette of PALETTES) {
    test(`in ${palette}: the visitor’s choice of dark does not affect printing`, async (t) => {
      const { preview, page } = await openPreview(t, browser, { palette }, { colorScheme: 'light' })
      await page.goto(preview.address + preview.states[0]?.target)
      await page.click('#theme')
      assert.equal(await page.locator('#dark').getAttribute('media'), 'screen')
      await assertPrintable(page, palette)
    })
  }
})
