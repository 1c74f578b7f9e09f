// Nothing breaks on a screen of 320 pixels, which is also what 400 % zoom leaves of 1280, and with the text spacing of
// WCAG 1.4.12: no scrolling sideways, no text over other text or out of its box, in every state and language.
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Palette } from '../../src/config/brand.ts'
import { LOCALES, type Locale } from '../../src/config/locales.ts'
import { launchChromium, openPage } from '../support/browser.ts'
import { showState, startPreview } from '../support/preview.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

/** 1280 × 1024, at 400 %. */
const ZOOMED = { viewport: { width: 320, height: 256 }, deviceScaleFactor: 4 }
const PHONE = { width: 360, height: 740 }

/** In the page: what lies outside the window, what overlaps, and what is cut off, as short texts. */
const FIND_BROKEN = `(() => {
  const found = []
  const name = (node) => node.nodeName + ' ' + (node.textContent || node.id || node.className).trim().slice(0, 40)
  const isClosed = (element) => element.closest('summary') === null && element.closest('details:not([open])') !== null
  const isShown = (element) => element.checkVisibility() && !element.matches('.skip, .skip *')
  const root = document.documentElement
  if (root.scrollWidth > root.clientWidth) found.push('scrolls sideways: ' + root.scrollWidth)

  for (const element of document.body.querySelectorAll('*')) {
    if (!isShown(element) || element.closest('svg') !== null) continue
    const box = element.getBoundingClientRect()
    if (box.left < -0.5 || box.right > root.clientWidth + 0.5) found.push('outside: ' + name(element))
    const { overflowY, display } = getComputedStyle(element)
    if (display === 'inline') continue
    if (element.scrollWidth > element.clientWidth + 1) found.push('too wide inside: ' + name(element))
    if (overflowY !== 'visible' && element.scrollHeight > element.clientHeight + 1) found.push('cut off: ' + name(element))
  }

  const texts = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const text = walker.currentNode
    const element = text.parentElement
    if (text.data.trim() === '' || element.matches('style, script, noscript') || !isShown(element)) continue
    if (isClosed(element)) continue
    let block = element
    while (getComputedStyle(block).display === 'inline') block = block.parentElement
    const bounds = block.getBoundingClientRect()
    const range = document.createRange()
    range.selectNodeContents(text)
    for (const rect of range.getClientRects()) {
      if (rect.left < bounds.left - 1 || rect.right > bounds.right + 1) found.push('out of its box: ' + name(text))
      // The opened menu lies over the page on purpose.
      if (element.closest('header ul') === null) texts.push({ text, rect })
    }
  }
  // A line's rectangle is taller than its letters.
  const AIR = 4
  for (const [index, one] of texts.entries()) {
    for (const other of texts.slice(index + 1)) {
      if (one.text === other.text) continue
      const across = Math.min(one.rect.right, other.rect.right) - Math.max(one.rect.left, other.rect.left)
      const down = Math.min(one.rect.bottom, other.rect.bottom) - Math.max(one.rect.top, other.rect.top)
      if (across > 1 && down > AIR) found.push('overlaps: ' + name(one.text) + ' and ' + name(other.text))
    }
  }
  return found
})()`

/** In the page: the least spacing that a reader may ask for. */
const SPACE_OUT = `{
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(\`* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
    p { margin-bottom: 2em !important }\`)
  document.adoptedStyleSheets = [sheet]
}`

/** In the page: what is pressed or filled, and is smaller than a finger. A link in running text may be. */
const FIND_SMALL = `Array.from(document.querySelectorAll('button, summary, input, .primary, header a, footer a'))
  .map((element) => ({ element, box: element.getBoundingClientRect() }))
  .filter(({ element, box }) => element.checkVisibility() && (box.width < 44 || box.height < 44))
  .map(({ element, box }) => element.outerHTML.slice(0, 60) + ' ' + box.width + ' × ' + box.height)`

/** In the page: what moves. */
const FIND_MOVING = `[
  ...document.getAnimations(),
  ...Array.from(document.querySelectorAll('*')).filter((element) => {
    const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element)
    return transitionDuration !== '0s' || animationName !== 'none' || scrollBehavior === 'smooth'
  }),
].length`

describe('pages hold', { skip: skipWithoutChromium, concurrency: 2 }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser?.close())

  async function everyState(
    t: TestContext,
    palette: Palette,
    locale: Locale,
    inspect: (page: Page, state: string) => Promise<void>,
  ) {
    const preview = await startPreview({ GATEWAY_CAPTIVE_BRAND_PALETTE: palette })
    t.after(() => preview.close())
    const { page, allow } = await openPage(t, browser, { ...ZOOMED, locale, reducedMotion: 'reduce' })
    allow(/Failed to load resource: the server responded with a status of [45]\d\d/)
    for (const state of preview.states) {
      await showState(page, preview, state)
      await inspect(page, state.name)
    }
  }

  async function inspect(page: Page, state: string) {
    assert.deepEqual(await page.evaluate(FIND_BROKEN), [], state)
    await page.evaluate(SPACE_OUT)
    assert.deepEqual(await page.evaluate(FIND_BROKEN), [], `${state}, text spaced out`)
    await page.evaluate('document.adoptedStyleSheets = []')
    await page.setViewportSize(PHONE)
    assert.deepEqual(await page.evaluate(FIND_SMALL), [], state)
    assert.equal(await page.evaluate(FIND_MOVING), 0, `${state}: something moves`)
    await page.setViewportSize(ZOOMED.viewport)
  }

  for (const locale of LOCALES) {
    test(`in ${locale}`, (t) => everyState(t, 'indigo', locale, inspect))
  }
  // The only palette that has another layout: its face.
  test('in de, bsod', (t) => everyState(t, 'bsod', 'de', inspect))
})
