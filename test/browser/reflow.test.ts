// Nothing breaks on a narrow screen, at 400 % zoom and with more space between letters: pages of most layouts, in the
// language with the longest words. `npm run check -- reflow` has every state in every language and palette.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { launchHeadlessShell, openPage } from '../support/browser.ts'
import { BRIEF, startPreview } from '../support/preview.ts'
import { assertReflows } from '../support/reflow.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

/** In the page: the units of an element's text that are on more than one line. */
const FIND_BROKEN_UNITS = `(selector, unit) => {
  const broken = []
  const walker = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const text = walker.currentNode
    for (const { 0: found, index } of text.data.matchAll(unit)) {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + found.length)
      const lines = Array.from(range.getClientRects(), ({ top }) => Math.round(top))
      if (new Set(lines).size !== 1) broken.push(found)
    }
  }
  return broken
}`

describe('pages hold', { skip: skipWithoutChromium, concurrency: 2 }, async () => {
  const browser = await launchHeadlessShell({ after })

  test('in de', (t) => assertReflows(t, browser, { palette: 'indigo', locale: 'de', states: BRIEF }))

  test('in de, on the page with a face', (t) =>
    assertReflows(t, browser, { palette: 'bsod', locale: 'de', states: ['blocked'] }))

  test('at 200 % text size on 320 pixels, no word of a button and no byte of a fingerprint is broken', async (t) => {
    const preview = await startPreview({}, t)
    const { page } = await openPage(t, browser, { viewport: { width: 320, height: 720 }, locale: 'en' })
    for (const [state, selector, unit] of [
      ['warned-terminal', '.alert .button', '\\S+'],
      ['aup', 'article .primary', '\\S+'],
      ['certificate', '#sha256', '\\w\\w:?'],
    ] as const) {
      await page.goto(preview.page(state))
      await page.evaluate("document.documentElement.style.fontSize = '200%'")
      assert.deepEqual(await page.evaluate(`(${FIND_BROKEN_UNITS})('${selector}', /${unit}/g)`), [])
    }
  })
})
