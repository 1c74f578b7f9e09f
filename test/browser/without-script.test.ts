// Everything works without script but the code field, which says so in the visitor's language.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { LOCALES } from '../../src/config/locales.ts'
import { catalogue } from '../../src/portal/i18n/catalogue.ts'
import { ENGINES, type RunningEngine } from '../support/browser.ts'
import { type RunningPreview, startPreview } from '../support/preview.ts'

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

for (const engine of ENGINES) {
  describe(`without script in ${engine.name}`, { skip: engine.skip }, () => {
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

    for (const locale of LOCALES) {
      test(`every page, with nothing on it that needs script but what says so: ${locale}`, async (t) => {
        const { page, allow } = await browser.openPage(t, { locale, javaScriptEnabled: false })
        allow(STATUS)
        // The notice is for frames, which have no icon.
        allow(/favicon/)
        for (const [name, address] of preview.pages) {
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

    test('the way on, by link', async (t) => {
      const { page } = await browser.openPage(t, { javaScriptEnabled: false })
      for (const name of ['warned', 'aup']) {
        await page.goto(preview.page(name))
        await page.locator('a.primary').press('Enter')
        await page.waitForURL(`${preview.address}/preview/accepted`)
      }
    })

    test('the language, in the topbar', async (t) => {
      const { page } = await browser.openPage(t, { javaScriptEnabled: false })
      for (const name of ['blocked', 'privacy']) {
        await page.goto(preview.page(name))
        for (const locale of ['fr', 'de', 'it', 'en']) {
          await page.locator('header summary').press('Enter')
          await page.locator(`details a[lang=${locale}]`).press('Enter')
          await page.locator(`html[lang=${locale}]`).waitFor()
          assert.equal(page.url(), preview.page(name))
        }
      }
    })

    test('light or dark, as the system is', async (t) => {
      const grounds = []
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page } = await browser.openPage(t, { colorScheme, javaScriptEnabled: false })
        await page.goto(preview.page('blocked'))
        grounds.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
      }
      assert.deepEqual(grounds, ['rgb(244, 244, 246)', 'rgb(19, 19, 22)'])
    })
  })
}
