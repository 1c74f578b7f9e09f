// For 700 ms after a page came to the front its proceed link ignores pointer clicks, with a notice; keyboard and
// assistive technology always work. The page's clock is stopped, so that no test depends on the machine's speed.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { CHROMIUM, type Engine, type RunningEngine, type Settings } from '../../../test/support/browser.ts'
import { catalogue } from '../../../test/support/catalogue.ts'
import type { RunningPreview } from '../../../test/support/preview.ts'

const HOLD_MS = 700
/** Without an end. */
const HOLD = 'document.getElementById("status").dataset.guardedUntil = Infinity'
/** The proceed control of each page that has one. A code is typed first: its page needs no guard. */
const PROCEED_CONTROLS = { warned: 'a.button', aup: 'a.primary' } as const
type Name = keyof typeof PROCEED_CONTROLS

/** Each event brings the page to the front again. */
const ACTIVATIONS: Readonly<Record<string, string>> = {
  'being shown': 'dispatchEvent(new Event("pageshow"))',
  'becoming visible': 'document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))',
  'a focus event': 'dispatchEvent(new Event("focus"))',
}

export function testGuard(engine: Engine, browser: () => RunningEngine, preview: () => RunningPreview): void {
  describe('the guard of the button to proceed', () => {
    /** @returns the page, with its clock stopped at load time, and every acknowledgement that it sends */
    async function open(t: TestContext, name: Name, { locale = 'en' }: Settings = {}, isStopped = true) {
      const { page, allow } = await browser().openPage(t, { locale })
      allow(/Failed to load resource: the server responded with a status of 403/)
      const sent: string[] = []
      page.on('request', (request) => {
        if (request.url().includes('/api/captive/ack')) sent.push(request.url())
      })
      if (isStopped) {
        await page.clock.install({ time: 0 })
        await page.clock.pauseAt(1000)
      }
      await page.goto(preview().page(name))
      return { page, proceed: page.locator(PROCEED_CONTROLS[name]), notice: page.locator('#status'), sent }
    }

    async function assertSent(page: Page, sent: readonly string[], act: () => Promise<unknown>) {
      const asked = page.waitForRequest(/\/api\/captive\/ack/)
      await act()
      const response = await (await asked).response()
      assert.equal(sent.length, 1)
      // Chromium may not close a context while a navigation is in flight.
      if (response?.status() === 302) await page.waitForURL(`${preview().address}/preview/accepted`)
    }

    for (const name of Object.keys(PROCEED_CONTROLS) as Name[]) {
      test(`${name}: clicks are ignored for 700 ms, with a notice; then they work`, async (t) => {
        const { page, proceed, notice, sent } = await open(t, name)
        assert.equal(await notice.getAttribute('role'), 'status')
        assert.equal(await notice.innerText(), '')
        for (const milliseconds of [0, HOLD_MS - 1]) {
          await page.clock.runFor(milliseconds)
          await proceed.click()
          assert.equal(await notice.innerText(), catalogue.en.clickTooSoon)
        }
        await proceed.click({ button: 'middle' })
        assert.equal(page.context().pages().length, 1)
        assert.deepEqual(sent, [])
        await page.clock.runFor(1)
        await assertSent(page, sent, () => proceed.click())
      })

      test(`${name}: keyboard and assistive technology work at once`, async (t) => {
        const byKey = await open(t, name, {}, false)
        await byKey.proceed.focus()
        await byKey.page.evaluate(HOLD)
        await assertSent(byKey.page, byKey.sent, () => byKey.page.keyboard.press('Enter'))
        // A click without a pointer, as assistive technology sends it.
        const assisted = await open(t, name, {}, false)
        await assisted.page.evaluate(HOLD)
        await assertSent(assisted.page, assisted.sent, () => assisted.proceed.dispatchEvent('click', { detail: 0 }))
      })
    }

    for (const [activation, event] of Object.entries(ACTIVATIONS)) {
      test(`held again after ${activation}, and the earlier notice is removed`, async (t) => {
        const { page, proceed, notice, sent } = await open(t, 'warned')
        await proceed.click()
        await page.clock.runFor(HOLD_MS)
        await page.evaluate(event)
        assert.equal(await notice.innerText(), '')
        await page.clock.runFor(HOLD_MS - 1)
        await proceed.click()
        assert.equal(await notice.innerText(), catalogue.en.clickTooSoon)
        assert.deepEqual(sent, [])
        await page.clock.runFor(1)
        await assertSent(page, sent, () => proceed.click())
      })
    }

    test('works on a page that never has the focus, as in some apps', async (t) => {
      const { page, proceed, sent } = await open(t, 'warned')
      await page.evaluate('document.hasFocus = () => false')
      await page.clock.runFor(HOLD_MS)
      await assertSent(page, sent, () => proceed.click())
    })

    // What follows is the same in every engine.
    if (engine !== CHROMIUM) return

    test('in the page’s language', async (t) => {
      const said = new Set<string>()
      for (const name of Object.keys(PROCEED_CONTROLS) as Name[]) {
        const { proceed, notice } = await open(t, name, { locale: 'de' })
        await proceed.click()
        said.add(await notice.innerText())
      }
      assert.deepEqual([...said], [catalogue.de.clickTooSoon])
    })
  })
}
