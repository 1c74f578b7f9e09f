// Colours outside the palette's control: forced by the system, and light or dark without script. `npm run check --
// accessibility` has every state in forced colours.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { PALETTES } from '../../src/portal/settings/brand.ts'
import { launchHeadlessShell } from '../../test/support/browser.ts'
import { assertVisibleInForcedColours, FORCED } from '../../test/support/forced-colours.ts'
import { LAYOUTS, openPreview, showState } from '../../test/support/preview.ts'
import { skipWithoutChromium } from '../../test/support/requirement.ts'

describe('colours', { skip: skipWithoutChromium }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchHeadlessShell()
  })
  after(() => browser?.close())

  for (const forced of FORCED) {
    test(`forced by the system, ${forced.colorScheme}: text, edges, shapes and focus stay visible`, (t) =>
      assertVisibleInForcedColours(t, browser, { ...forced, states: LAYOUTS }))
  }

  for (const palette of PALETTES) {
    test(`without script ${palette} follows the system’s light or dark setting`, async (t) => {
      const { preview, page, states } = await openPreview(t, browser, { palette }, { javaScriptEnabled: false })
      const [state] = states
      assert.ok(state)
      const grounds: string[] = []
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await showState(page, preview, state)
        const [scheme, ground] = (await page.evaluate(`[
          getComputedStyle(document.documentElement).colorScheme,
          getComputedStyle(document.body).backgroundColor,
        ]`)) as [string, string]
        assert.equal(scheme, colorScheme)
        assert.equal(await page.locator('#theme').isVisible(), false)
        grounds.push(ground)
      }
      assert.notEqual(grounds[0], grounds[1])
    })
  }
})
