// axe-core over every page in every state: in every palette, light and dark, and in every language.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { PALETTES, type Palette } from '../../src/config/brand.ts'
import { LOCALES, type Locale } from '../../src/config/locales.ts'
import { launchChromium, openPage } from '../support/browser.ts'
import { showState, startPreview } from '../support/preview.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

const { source } = createRequire(import.meta.url)('axe-core') as { source: string }

const EVERY_RULE: RunOptions = {}
const RULES_OF_COLOUR: RunOptions = { runOnly: ['cat.color'] }

async function assertNothingFound(page: Page, rules: RunOptions, where: string) {
  const options = JSON.stringify({ ...rules, resultTypes: ['violations'] })
  const violations = (await page.evaluate(
    `axe.run(${options}).then((found) => found.violations)`,
  )) as AxeResults['violations']
  const found = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`))
  assert.deepEqual(found, [], where)
}

describe('axe-core finds nothing', { skip: skipWithoutChromium, concurrency: 2 }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser?.close())

  async function everyState(t: TestContext, palette: Palette, locale: Locale) {
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
      await assertNothingFound(page, EVERY_RULE, `${state.name}, light`)
      // The flavours are one markup and one layout, and differ in colours alone (test/portal/pages/branding.test.ts
      // holds that): in the dark only the rules of colour can find something else.
      await page.emulateMedia({ colorScheme: 'dark' })
      await assertNothingFound(page, RULES_OF_COLOUR, `${state.name}, dark`)
    }
  }

  for (const palette of PALETTES) {
    for (const locale of LOCALES) {
      test(`in ${palette}, ${locale}, light and dark`, (t) => everyState(t, palette, locale))
    }
  }
})
