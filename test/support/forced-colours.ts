// A page of the preview in the colours that the system forces: nothing may vanish on its canvas.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Browser } from 'playwright-core'
import { openPreview, type PreviewScope, showState } from './preview.ts'

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

/** Those in which something could vanish: white on a white canvas, and the one dark colour on a black one. */
export const FORCED = [
  { palette: 'bsod', colorScheme: 'light' },
  { palette: 'indigo', colorScheme: 'dark' },
] as const

/** Asserts that text, edges, shapes and focus stay visible. */
export async function assertVisibleInForcedColours(
  t: TestContext,
  browser: Browser,
  scope: PreviewScope & { readonly colorScheme: 'light' | 'dark' },
): Promise<void> {
  const options = { colorScheme: scope.colorScheme, forcedColors: 'active' } as const
  const { preview, page, states } = await openPreview(t, browser, scope, options)
  for (const state of states) {
    await showState(page, preview, state)
    assert.equal(await page.evaluate(`matchMedia('(forced-colors: active)').matches`), true)
    assert.deepEqual(await page.evaluate(FIND_FAINT), [], state.name)
  }
}
