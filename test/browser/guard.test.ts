// For 700 ms after a page came to the front its way on ignores pointer clicks, and says so; keyboard and assistive
// technology always pass. The page's clock is stopped, so that no test depends on the machine's pace.
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { LOCALES, type Locale } from '../../src/config/locales.ts'
import { catalogue } from '../../src/portal/i18n/catalogue.ts'
import { ENGINES, type RunningEngine, type Settings } from '../support/browser.ts'
import { type RunningPreview, startPreview } from '../support/preview.ts'

const HOLD_MS = 700
/** The way on of each page that has one. */
const WAYS_ON = { warned: 'a.primary', aup: 'a.primary', 'warned-passphrase': '#unlock-button' } as const
type Name = keyof typeof WAYS_ON

/** Each makes the page come to the front again. */
const COMINGS: Readonly<Record<string, string>> = {
  'being shown': 'dispatchEvent(new Event("pageshow"))',
  'becoming visible': 'document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))',
  'a focus event': 'dispatchEvent(new Event("focus"))',
}

for (const engine of ENGINES) {
  describe(`the guard of the way on in ${engine.name}`, { skip: engine.skip }, () => {
    let browser: RunningEngine
    let preview: RunningPreview
    before(async () => {
      browser = await engine.start()
      preview = await startPreview()
    })
    after(async () => {
      await browser?.close()
      await preview?.close()
    })

    /** The page, with its clock stopped where it was loaded, and every acknowledgement that it sends. */
    async function open(t: TestContext, name: Name, { locale = 'en' }: Settings = {}, isStopped = true) {
      const { page, allow } = await browser.openPage(t, { locale })
      allow(/Failed to load resource: the server responded with a status of 403/)
      const sent: string[] = []
      page.on('request', (request) => {
        if (request.url().includes('/api/captive/ack')) sent.push(request.url())
      })
      if (isStopped) {
        await page.clock.install({ time: 0 })
        await page.clock.pauseAt(1000)
      }
      await page.goto(preview.page(name))
      if (name === 'warned-passphrase') await page.fill('#passphrase', 'wrong')
      return { page, wayOn: page.locator(WAYS_ON[name]), notice: page.locator('#held'), sent }
    }

    async function assertSent(page: Page, sent: readonly string[], act: () => Promise<unknown>) {
      const asked = page.waitForRequest(/\/api\/captive\/ack/)
      await act()
      await (await asked).response()
      assert.equal(sent.length, 1)
      // Chromium may not close a context while a navigation is in flight.
      await page.waitForLoadState('networkidle')
    }

    for (const name of Object.keys(WAYS_ON) as Name[]) {
      test(`${name}: ignored until 700 ms have passed, with a word about it; then it counts`, async (t) => {
        const { page, wayOn, notice, sent } = await open(t, name)
        assert.equal(await notice.getAttribute('role'), 'status')
        assert.equal(await notice.innerText(), '')
        for (const milliseconds of [0, HOLD_MS - 1]) {
          await page.clock.runFor(milliseconds)
          await wayOn.click()
          assert.equal(await notice.innerText(), catalogue.en.clickHeld)
        }
        await wayOn.click({ button: 'middle' })
        assert.equal(page.context().pages().length, 1)
        assert.deepEqual(sent, [])
        await page.clock.runFor(1)
        await assertSent(page, sent, () => wayOn.click())
      })

      test(`${name}: keyboard and assistive technology pass at once`, async (t) => {
        const byKey = await open(t, name, {}, false)
        await byKey.wayOn.focus()
        await byKey.page.evaluate('heldUntil = Infinity')
        await assertSent(byKey.page, byKey.sent, () => byKey.page.keyboard.press('Enter'))
        // A click without a pointer, as assistive technology makes it.
        const assisted = await open(t, name, {}, false)
        await assisted.page.evaluate('heldUntil = Infinity')
        await assertSent(assisted.page, assisted.sent, () => assisted.wayOn.dispatchEvent('click', { detail: 0 }))
      })
    }

    for (const [coming, event] of Object.entries(COMINGS)) {
      test(`held again after ${coming}, and the word of before is withdrawn`, async (t) => {
        const { page, wayOn, notice, sent } = await open(t, 'warned')
        await wayOn.click()
        await page.clock.runFor(HOLD_MS)
        await page.evaluate(event)
        assert.equal(await notice.innerText(), '')
        await page.clock.runFor(HOLD_MS - 1)
        await wayOn.click()
        assert.equal(await notice.innerText(), catalogue.en.clickHeld)
        assert.deepEqual(sent, [])
        await page.clock.runFor(1)
        await assertSent(page, sent, () => wayOn.click())
      })
    }

    test('a page that never has the focus, as in some apps, is no obstacle', async (t) => {
      const { page, wayOn, sent } = await open(t, 'warned')
      await page.evaluate('document.hasFocus = () => false')
      await page.clock.runFor(HOLD_MS)
      await assertSent(page, sent, () => wayOn.click())
    })

    for (const locale of LOCALES) {
      test(`in the page’s language: ${locale}`, async (t) => {
        const said = new Set<string>()
        for (const name of Object.keys(WAYS_ON) as Name[]) {
          const { wayOn, notice } = await open(t, name, { locale })
          await wayOn.click()
          said.add(await notice.innerText())
        }
        assert.deepEqual([...said], [catalogue[locale as Locale].clickHeld])
      })
    }

    test('without script the first click counts', async (t) => {
      const { page } = await browser.openPage(t, { javaScriptEnabled: false })
      await page.goto(preview.page('warned'))
      // Not after an animation frame: without script Firefox gives the driver none.
      await page.locator('a.primary').click({ force: true })
      await page.waitForURL(`${preview.address}/preview/accepted`)
    })
  })
}
