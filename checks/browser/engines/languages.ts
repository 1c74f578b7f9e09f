// The language menu where the page leaves its addresses to the script: with more than four languages, and on pages with a code;
// and Arabic, which is written from right to left.
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Engine, RunningEngine } from '../../../test/support/browser.ts'
import { catalogue } from '../../../test/support/catalogue.ts'
import { type RunningPreview, startPreview } from '../../../test/support/preview.ts'

const LANGUAGES = 'en,fr,de,it,es,pt,nl,pl,ar'

export function testLanguages(_engine: Engine, browser: () => RunningEngine): void {
  describe('nine languages', () => {
    let preview: RunningPreview
    before(async () => {
      preview = await startPreview({ GATEWAY_CAPTIVE_SUPPORTED_LOCALES: LANGUAGES })
    })
    after(() => preview?.close())

    async function open(t: TestContext, name: string, locale = 'en'): Promise<Page> {
      const { page } = await browser().openPage(t, { locale })
      await page.goto(`${preview.page(name)}#inbox/42`)
      return page
    }

    async function choose(page: Page, language: string): Promise<void> {
      await page.click('header summary')
      await page.getByRole('link', { name: language, exact: true }).click()
    }

    for (const name of ['blocked', 'warned', 'warned-pin', 'aup-pin']) {
      test(`${name}: each leads to the same page, with the fragment, and back`, async (t) => {
        const page = await open(t, name)
        const address = page.url()
        for (const [language, tag] of [
          ['Polski', 'pl'],
          ['العربية', 'ar'],
          ['English', 'en'],
        ] as const) {
          await choose(page, language)
          await page.locator(`html[lang=${tag}]`).waitFor()
          assert.equal(page.url(), address)
        }
      })
    }

    test('Arabic: from right to left, but not addresses, codes and references', async (t) => {
      const page = await open(t, 'warned-pin', 'ar')
      assert.equal(await page.locator('html').getAttribute('dir'), 'rtl')
      assert.equal(await page.locator('h1').innerText(), catalogue.ar.warn.headingCode)
      const left = async (selector: string) => Number((await page.locator(selector).boundingBox())?.x)
      const { width } = page.viewportSize() ?? { width: 0 }
      assert.ok((await left('.sign')) > width / 2)
      assert.ok((await left('dt >> nth=0')) > (await left('dd >> nth=0')))
      await page.focus('[inputmode]')
      await page.keyboard.type('12')
      assert.ok((await left('[inputmode] >> nth=0')) < (await left('[inputmode] >> nth=1')))
      const typed = `Array.from(document.querySelectorAll('[inputmode]'), ({ value }) => value).join('')`
      assert.equal(await page.evaluate(typed), '12')
      for (const literal of ['.url bdi', '#ref']) {
        assert.equal(await page.evaluate(`getComputedStyle(document.querySelector('${literal}')).direction`), 'ltr')
      }
    })
  })
}
