// A visitor who had used the skip link pressed "Go back" on a warning, and the page stayed: the link had added an entry to the
// history, which differs only in its fragment, and the button, since the first version, went back by one.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchHeadlessShell, openPage } from '../support/browser.ts'
import { type RunningPreview, startPreview } from '../support/preview.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

describe('“Go back” in Chromium', { skip: skipWithoutChromium }, () => {
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

  const histories: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
    'after the skip link': (page) => page.locator('.skip').press('Enter'),
    'after three changes of the fragment': (page) =>
      page.evaluate(`for (const one of ['one', 'two', 'main']) history.pushState(null, '', '#' + one)`),
    'control: at once': async () => {},
  }
  for (const [name, act] of Object.entries(histories)) {
    test(name, async (t) => {
      const { page } = await openPage(t, browser)
      await page.goto(`${preview.address}/`)
      await page.evaluate(`location = ${JSON.stringify(preview.page('warned'))}`)
      await page.locator('#back').waitFor()
      const address = page.url()
      await act(page)
      assert.equal(page.url().split('#')[0], address)
      await page.locator('#back').press('Enter')
      await page.waitForURL(`${preview.address}/`)
    })
  }
})
