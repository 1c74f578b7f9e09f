// "Go back" leaves the page, on a warning, on every dead end and in a lockout, however many entries of the history are this page;
// and it says so if no other page is behind them.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { LOCKING_CODE } from '../../../src/portal/preview/preview-engine.ts'
import type { Engine, RunningEngine } from '../../../test/support/browser.ts'
import { catalogue } from '../../../test/support/catalogue.ts'
import type { RunningPreview } from '../../../test/support/preview.ts'

export function testGoBack(_engine: Engine, browser: () => RunningEngine, preview: () => RunningPreview): void {
  describe('“Go back”', () => {
    /** @returns the warning, reached by a link of the list of pages */
    async function open(t: TestContext, name = 'warned'): Promise<Page> {
      const { page, allow } = await browser().openPage(t)
      allow(/Failed to load resource: the server responded with a status of 4/)
      await page.goto(`${preview().address}/`)
      await page.evaluate(`location = ${JSON.stringify(preview().page(name))}`)
      await page.locator('#back').waitFor()
      return page
    }

    /** @returns a page in a tab of its own, without any other behind it */
    async function openAlone(t: TestContext, name: string): Promise<Page> {
      const { page: opener } = await browser().openPage(t)
      await opener.goto(`${preview().address}/`)
      const [page] = await Promise.all([
        opener.context().waitForEvent('page'),
        opener.evaluate(`void open(${JSON.stringify(preview().page(name))}, '_blank', 'noopener')`),
      ])
      return page
    }

    async function goBack(page: Page): Promise<void> {
      await page.locator('#back').press('Enter')
      await page.waitForURL(`${preview().address}/`)
    }

    /** Enters the code that locks out. */
    async function lock(page: Page): Promise<void> {
      await page.locator('input').first().focus()
      await page.keyboard.type(LOCKING_CODE)
      await page.keyboard.press('Enter')
      await page.locator('#message .clock').waitFor()
    }

    /** @returns a page with a code, reached as by `open` and left by nothing but its language menu, in a lockout */
    async function openLocked(t: TestContext, name: string): Promise<Page> {
      const { page, allow } = await browser().openPage(t)
      allow(/status of 429/)
      await page.goto(`${preview().address}/`)
      await page.evaluate(`location = ${JSON.stringify(preview().page(name))}`)
      for (const locale of ['fr', 'en']) {
        await page.locator('header summary').press('Enter')
        await page.locator(`header a[lang=${locale}]`).press('Enter')
        await page.locator(`html[lang=${locale}]`).waitFor()
      }
      await page.evaluate(`{
        location.hash = 'one'
        history.pushState(null, '', '#two')
      }`)
      await lock(page)
      return page
    }

    for (const name of [
      'blocked',
      'warned-terminal',
      'aup-terminal',
      'outcome-expired',
      'outcome-invalid',
      'outcome-notFound',
    ]) {
      test(name, async (t) => {
        await goBack(await open(t, name))
      })
    }

    test('after the skip link, which moves the focus and leaves address and history as they are', async (t) => {
      const page = await open(t)
      const address = page.url()
      const entries = await page.evaluate('history.length')
      await page.locator('.skip').press('Enter')
      assert.equal(await page.evaluate('document.activeElement.id'), 'main')
      assert.deepEqual([page.url(), await page.evaluate('history.length')], [address, entries])
      await goBack(page)
    })

    test('after changes of the fragment, by hand, by script, and without the page’s script', async (t) => {
      const page = await open(t)
      await page.evaluate(`{
        location.hash = 'main'
        location.hash = 'one'
        history.pushState(null, '', '#two')
        location.hash = 'main'
      }`)
      assert.ok(Number(await page.evaluate('history.length')) >= 6)
      await goBack(page)
    })

    for (const name of ['warned-pin', 'aup-passphrase']) {
      test(`during a lockout, after changes of language and of the fragment: ${name}`, async (t) => {
        const page = await openLocked(t, name)
        await goBack(page)
      })
    }

    test('during a lockout, where no other page is behind this one: a notice', async (t) => {
      const page = await openAlone(t, 'warned-pin')
      await page.evaluate(`location.hash = 'one'`)
      await lock(page)
      await page.locator('#back').press('Enter')
      await page.locator('#message', { hasText: catalogue.en.nothingToGoBackTo }).waitFor()
      // It still counts down.
      assert.match(await page.locator('#message').innerText(), /^1[34]:\d\d min/)
      assert.equal(await page.evaluate('window.onpopstate'), null)
    })

    test('where no other page is behind this one: a notice, and then the page works as before', async (t) => {
      const page = await openAlone(t, 'warned')
      await page.locator('#back').waitFor({ state: 'hidden' })
      await page.evaluate(`location.hash = 'one'`)
      await page.reload()
      await page.locator('#back').press('Enter')
      await page.locator('#status', { hasText: catalogue.en.nothingToGoBackTo }).waitFor()
      assert.equal(await page.evaluate('window.onpopstate'), null)
      await page.locator('a.button').press('Enter')
      await page.waitForURL(/preview\/accepted/)
    })
  })
}
