// Colours outside the palette's control: forced by the system, and light or dark without script.
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { PALETTES, type Palette } from '../../src/config/brand.ts'
import { launchChromium, openPage } from '../support/browser.ts'
import { LAYOUTS, type RunningPreview, showState, startPreview } from '../support/preview.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

/** Page script: WCAG's contrast of a colour to the canvas. */
const CONTRAST = `
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number)
  const luminance = ([red, green, blue]) => {
    const [r, g, b] = [red, green, blue].map((value) => {
      const part = value / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const probe = document.createElement('i')
  probe.style.cssText = 'color: Canvas; forced-color-adjust: none'
  document.body.append(probe)
  const canvas = luminance(channels(getComputedStyle(probe).color))
  probe.remove()
  const contrast = (colour) => {
    const parts = channels(colour)
    if (parts[3] === 0) return 1
    const one = luminance(parts)
    return (Math.max(one, canvas) + 0.05) / (Math.min(one, canvas) + 0.05)
  }`

/** Page script: finds text, drawings (in the text's colour), edges of controls and focus rings that are hardly visible
 *  on the canvas. */
const FIND_FAINT = `(() => {${CONTRAST}
  const found = []
  const complain = (element, what) => found.push(what + ': ' + element.outerHTML.slice(0, 60))
  for (const element of document.querySelectorAll('body *')) {
    if (!element.checkVisibility()) continue
    const style = getComputedStyle(element)
    // A logo is on its own white plate.
    if (!element.matches('img') && contrast(style.color) < (element.matches(':disabled') ? 1.5 : 4.5)) complain(element, 'text')
    if (element.matches('button, input, .primary, .button, header summary, header ul')) {
      if (style.borderTopStyle !== 'solid' || parseFloat(style.borderTopWidth) < 1) complain(element, 'no edge')
      if (contrast(style.borderTopColor) < (element.matches(':disabled') ? 1.5 : 3)) complain(element, 'edge')
    }
    if (element.matches('a, button, input, summary') && !element.matches(':disabled')) {
      element.focus({ focusVisible: true })
      if (style.outlineStyle !== 'solid' || parseFloat(style.outlineWidth) < 2) complain(element, 'no focus ring')
      if (contrast(style.outlineColor) < 3) complain(element, 'focus ring')
    }
  }
  return found
})()`

describe('colours', { skip: skipWithoutChromium }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser?.close())

  async function open(
    t: TestContext,
    palette: Palette,
    options: BrowserContextOptions,
  ): Promise<[RunningPreview, Page]> {
    const preview = await startPreview({ GATEWAY_CAPTIVE_BRAND_PALETTE: palette })
    t.after(() => preview.close())
    const { page, allow } = await openPage(t, browser, options)
    allow(/Failed to load resource: the server responded with a status of [45]\d\d/)
    return [preview, page]
  }

  // White would be invisible on a white canvas, and the one dark colour on a black one.
  for (const [palette, colorScheme] of [
    ['bsod', 'light'],
    ['indigo', 'dark'],
  ] as const) {
    test(`forced by the system, ${colorScheme}: text, edges, shapes and focus stay visible`, async (t) => {
      const [preview, page] = await open(t, palette, { colorScheme, forcedColors: 'active' })
      // Of the second one a page of each layout: the system's colours are the same.
      for (const state of preview.states.filter(({ name }) => palette === 'bsod' || LAYOUTS.includes(name))) {
        await showState(page, preview, state)
        assert.equal(await page.evaluate(`matchMedia('(forced-colors: active)').matches`), true)
        assert.deepEqual(await page.evaluate(FIND_FAINT), [], state.name)
      }
    })
  }

  for (const palette of PALETTES) {
    test(`without script ${palette} follows the system’s light or dark setting`, async (t) => {
      const [preview, page] = await open(t, palette, { javaScriptEnabled: false })
      const [state] = preview.states
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
