// The Tab stops of the preview's pages: in the order of the markup, each with a visible focus that nothing covers.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Locale } from '../../src/settings/sections/locales.ts'
import { openPreview, showState } from './preview.ts'

/** A desktop, and what 400 % zoom leaves of it. */
const VIEWPORTS = [
  { width: 1280, height: 720 },
  { width: 320, height: 256 },
]

/** In the page: focuses the first control, which closes the language menu. @returns the controls' places in the markup */
const START = `(() => {
  window.elements = [...document.querySelectorAll('*')]
  elements.find((element) => element.matches('a[href]'))?.focus({ focusVisible: true })
  return elements.flatMap((element, place) =>
    element.matches('a[href], button:enabled, input:enabled, summary, [tabindex="0"]') && element.checkVisibility() ? [place] : [])
})()`

/** In the page: the place of the focused element, and what is wrong with it. */
const FOCUS = `(() => {
  const element = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  const hasRing = outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2
  const isCovered = [...element.getClientRects()].some(({ left, right, top, bottom }) => {
    const corners = [left + 2, right - 2].flatMap((x) => [[x, top + 2], [x, bottom - 2]])
    return corners.some(([x, y]) => {
      const inFront = document.elementFromPoint(x, y)
      return inFront === null || !(element.contains(inFront) || inFront.contains(element))
    })
  })
  const name = element.outerHTML.slice(0, 60)
  return [elements.indexOf(element), (hasRing ? '' : 'no focus ring: ' + name) + (isCovered ? 'covered: ' + name : '')]
})()`

/** Asserts that Tab reaches every control of every state once, in order, and Shift+Tab the same in reverse. */
export async function assertTabStops(t: TestContext, browser: Browser, locale: Locale): Promise<void> {
  const { preview, page, states } = await openPreview(t, browser, { palette: 'indigo' }, { locale })
  for (const viewport of VIEWPORTS) {
    await page.setViewportSize(viewport)
    for (const state of states) {
      const where = `${state.name}, ${viewport.width} pixels`
      await showState(page, preview, state)
      const controls = (await page.evaluate(START)) as readonly number[]
      assert.deepEqual(await stops(page, 'Tab', controls.length), controls, where)
      assert.deepEqual(await stops(page, 'Shift+Tab', controls.length), controls.toReversed(), where)
    }
  }
}

/** @returns the focused element and those after it, or a text that says what is wrong with one */
async function stops(page: Page, key: string, count: number): Promise<readonly (number | string)[]> {
  const found: (number | string)[] = []
  while (found.length < count) {
    if (found.length > 0) await page.keyboard.press(key)
    const [place, fault] = (await page.evaluate(FOCUS)) as [number, string]
    found.push(fault || place)
  }
  return found
}
