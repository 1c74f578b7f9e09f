// Everything works without script except the code field, which explains that in the visitor's language.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CHROMIUM, type Engine, type RunningEngine } from '../../../test/support/browser.ts'
import { catalogue } from '../../../test/support/catalogue.ts'
import type { RunningPreview } from '../../../test/support/preview.ts'

const WITH_A_CODE = /-pin$|-passphrase$/
const STATUS = /Failed to load resource: the server responded with a status of [45]\d\d/

const LOOK = `{
  const visible = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility())
  const found = {
    language: document.documentElement.lang,
    hasHeading: visible('h1').length === 1,
    needScript: visible('button, input, #go-on').map((one) => one.outerHTML),
    notes: visible('noscript').map((one) => one.innerText),
  }
  found
}`

export function testWithoutScript(engine: Engine, browser: () => RunningEngine, preview: () => RunningPreview): void {
  describe('without script', () => {
    // The markup is the same in every language (accessibility.test.ts).
    for (const locale of engine === CHROMIUM ? (['en', 'fr'] as const) : (['en'] as const)) {
      test(`every page, with nothing on it that needs script but what says so: ${locale}`, async (t) => {
        const { page, allow } = await browser().openPage(t, { locale, javaScriptEnabled: false })
        allow(STATUS)
        // The notice is shown in frames, which have no icon.
        allow(/favicon/)
        for (const [name, address] of preview().pages) {
          await page.goto(address)
          assert.deepEqual(
            await page.evaluate(LOOK),
            {
              language: locale,
              hasHeading: true,
              needScript: [],
              notes: WITH_A_CODE.test(name) ? [catalogue[locale].override.needsScript] : [],
            },
            name,
          )
        }
      })
    }

    test('the button to proceed, a link', async (t) => {
      const { page } = await browser().openPage(t, { javaScriptEnabled: false })
      for (const name of ['warned', 'aup']) {
        await page.goto(preview().page(name))
        await page.getByRole('link', { name: /^(Proceed anyway|I acknowledge and continue)$/ }).press('Enter')
        await page.waitForURL(`${preview().address}/preview/accepted`)
      }
    })

    test('the language, in the topbar', async (t) => {
      const { page } = await browser().openPage(t, { javaScriptEnabled: false })
      for (const name of ['blocked', 'privacy']) {
        await page.goto(preview().page(name))
        for (const locale of ['fr', 'de', 'it', 'en']) {
          await page.locator('header summary').press('Enter')
          await page.locator(`details a[lang=${locale}]`).press('Enter')
          await page.locator(`html[lang=${locale}]`).waitFor()
          assert.equal(page.url(), preview().page(name))
        }
      }
    })
  })
}
