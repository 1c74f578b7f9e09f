// A page of the preview on a screen of 320 pixels, which is also what 400 % zoom leaves of 1280, with the text spacing of
// WCAG 1.4.12, and with large text on a phone: no scrolling sideways, no text over other text or out of its box.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Locale } from '../../src/settings/sections/locales.ts'
import { openPage } from './browser.ts'
import { openPreview, type PreviewScope, showState } from './preview.ts'

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
    // What scrolls is not cut off.
    if (!['visible', 'auto'].includes(overflowY) && element.scrollHeight > element.clientHeight + 1) found.push('cut off: ' + name(element))
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
    const scrolled = block.closest('[tabindex="0"]')
    const range = document.createRange()
    range.selectNodeContents(text)
    for (const rect of range.getClientRects()) {
      // Reached by scrolling.
      if (scrolled && rect.bottom > scrolled.getBoundingClientRect().bottom) continue
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

/** Of the browser's text size, in percent. */
const LARGE_TEXT = [150, 200]

/** In the page: what is pressed or filled, and is smaller than a finger. A link in running text may be. */
const FIND_SMALL = `Array.from(document.querySelectorAll('button, summary, input, .primary, .button, header a, footer a, section > a'))
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

/** Asserts that nothing breaks, that what is pressed is as large as a finger, and that nothing moves. */
export async function assertReflows(
  t: TestContext,
  browser: Browser,
  scope: PreviewScope & { readonly locale: Locale },
): Promise<void> {
  const options = { ...ZOOMED, locale: scope.locale, reducedMotion: 'reduce' } as const
  const { preview, page, states } = await openPreview(t, browser, scope, options)
  for (const state of states) {
    await showState(page, preview, state)
    await inspect(page, state.name)
  }
}

/** The same for pages that no portal serves, by name. */
export async function assertFilesReflow(
  t: TestContext,
  browser: Browser,
  locale: Locale,
  pages: Readonly<Record<string, string>>,
): Promise<void> {
  const { page } = await openPage(t, browser, { ...ZOOMED, locale, reducedMotion: 'reduce' })
  for (const [name, markup] of Object.entries(pages)) {
    // Without it the scripts of all pages would share their constants.
    await page.goto('about:blank')
    await page.setContent(markup)
    assert.equal(await page.evaluate('document.documentElement.lang'), locale)
    await inspect(page, name)
  }
}

async function inspect(page: Page, state: string): Promise<void> {
  assert.deepEqual(await page.evaluate(FIND_BROKEN), [], state)
  await page.evaluate(SPACE_OUT)
  assert.deepEqual(await page.evaluate(FIND_BROKEN), [], `${state}, text spaced out`)
  await page.evaluate('document.adoptedStyleSheets = []')
  await page.setViewportSize(PHONE)
  assert.deepEqual(await page.evaluate(FIND_SMALL), [], state)
  assert.equal(await page.evaluate(FIND_MOVING), 0, `${state}: something moves`)
  for (const percent of LARGE_TEXT) {
    await page.evaluate(`document.documentElement.style.fontSize = '${percent}%'`)
    assert.deepEqual(await page.evaluate(FIND_BROKEN), [], `${state}, text at ${percent} %`)
  }
  await page.evaluate(`document.documentElement.style.fontSize = ''`)
  await page.setViewportSize(ZOOMED.viewport)
}
