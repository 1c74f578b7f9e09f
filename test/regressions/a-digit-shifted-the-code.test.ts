// A visitor typed 279913, clicked into the fourth box to correct it, typed 4, and sent 279941 instead of 279413: the click had
// placed the caret next to the 9, and the box held two digits, of which the script, since the first version, moved one into the
// next box. Input methods committed a digit to the box that the script had moved the focus to: each came twice.
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchHeadlessShell, openPage } from '../support/browser.ts'
import { type RunningPreview, startPreview } from '../support/preview.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

describe('a PIN in Chromium', { skip: skipWithoutChromium }, () => {
  let browser: Browser
  let preview: RunningPreview
  before(async () => {
    browser = await launchHeadlessShell()
    preview = await startPreview()
  })
  after(async () => {
    await browser?.close()
    await preview?.close()
  })

  async function open(t: TestContext): Promise<Page> {
    const { page } = await openPage(t, browser)
    await page.goto(preview.page('warned-pin'))
    await page.locator('[inputmode]').first().focus()
    return page
  }
  const code = (page: Page) =>
    page.evaluate(`Array.from(document.querySelectorAll('[inputmode]'), ({ value }) => value).join('')`)

  test('is corrected where the caret is', async (t) => {
    const page = await open(t)
    await page.keyboard.type('279913')
    // The second click only places the caret.
    for (let click = 0; click < 2; click++) await page.locator('[inputmode]').nth(3).click()
    await page.keyboard.type('4')
    assert.equal(await code(page), '279413')
  })

  test('by an input method has each digit once', async (t) => {
    const page = await open(t)
    const client = await page.context().newCDPSession(page)
    for (const digit of '２７９４１３') {
      await client.send('Input.imeSetComposition', { text: digit, selectionStart: 1, selectionEnd: 1 })
      await client.send('Input.insertText', { text: digit })
    }
    assert.equal(await code(page), '279413')
  })

  test('control: typed from the first box to the last', async (t) => {
    const page = await open(t)
    await page.keyboard.type('279413')
    assert.equal(await code(page), '279413')
  })
})
