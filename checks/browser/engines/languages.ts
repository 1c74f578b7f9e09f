// The language menu: on the pages of outcomes, whose addresses may look like a verdict's; where the page leaves the menu's addresses
// to the script, with more than four languages, and on pages with a code; and Arabic, which is written from right to left.
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { LOCKING_CODE } from '../../../src/portal/preview/preview-engine.ts'
import { CHROMIUM, type Engine, type RunningEngine } from '../../../test/support/browser.ts'
import { catalogue } from '../../../test/support/catalogue.ts'
import { claims, verdictTarget } from '../../../test/support/payloads.ts'
import { NOW } from '../../../test/support/portal.ts'
import { type RunningPreview, startPreview } from '../../../test/support/preview.ts'

const LANGUAGES = 'en,fr,de,it,es,pt,nl,pl,ar'

/** Pages of an outcome, most of them at an address that looks like a verdict's. */
const OUTCOME_PAGES = [
  ['malformed', '/blocked?p=abc'],
  ['malformed', '/api/captive/ack?p=abc'],
  ['wrongVersion', `/warned?p=abc&v=2&ts=${NOW}`],
  ['invalid', `/aup?p=abc&v=1&ts=${NOW}`],
  ['invalid', `/api/captive/ack?p=abc&v=1&ts=${NOW}`],
  ['expired', verdictTarget(claims(NOW - 100_000))],
  ['notFound', '/nowhere?p=abc'],
  ['notFound', '/nowhere'],
  ['tooLong', `/blocked?p=${'A'.repeat(7500)}`],
] as const

export function testLanguages(engine: Engine, browser: () => RunningEngine): void {
  for (const javaScriptEnabled of engine === CHROMIUM ? [true, false] : [true]) {
    describe(`the language of a page that is no verdict’s, ${javaScriptEnabled ? 'with' : 'without'} script`, () => {
      for (const languages of engine === CHROMIUM ? ['en,fr,de,it', LANGUAGES] : [LANGUAGES]) {
        test(`each stays the same page, and the choice is kept: ${languages}`, async (t) => {
          const { address } = await startPreview({ GATEWAY_CAPTIVE_SUPPORTED_LOCALES: languages }, t)
          for (const [name, target] of OUTCOME_PAGES) {
            const { page, allow } = await browser().openPage(t, { javaScriptEnabled })
            allow(/status of 4/)
            await page.goto(`${address}${target}#inbox/42`)
            assert.equal(await page.locator('h1').innerText(), catalogue.en.outcome[name].title)
            for (const locale of ['fr', 'de'] as const) {
              await page.locator('header summary').press('Enter')
              await page.locator(`header a[lang=${locale}]`).press('Enter')
              await page.locator(`html[lang=${locale}]`).waitFor()
              assert.equal(await page.locator('h1').innerText(), catalogue[locale].outcome[name].title, target)
              if (javaScriptEnabled) assert.equal(new URL(page.url()).hash, '#inbox/42')
            }
            await page.goto(`${address}/privacy`)
            assert.equal(await page.locator('html').getAttribute('lang'), 'de')
          }
        })
      }
    })
  }

  describe('nine languages', () => {
    let preview: RunningPreview
    before(async () => {
      preview = await startPreview({ GATEWAY_CAPTIVE_SUPPORTED_LOCALES: LANGUAGES })
    })
    after(() => preview?.close())

    async function open(t: TestContext, name: string, locale = 'en'): Promise<Page> {
      const { page, allow } = await browser().openPage(t, { locale })
      allow(/status of 429/)
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

    test('Arabic: a lockout says in Arabic that it lasts minutes', async (t) => {
      const page = await open(t, 'warned-pin', 'ar')
      await page.focus('[inputmode]')
      await page.keyboard.type(LOCKING_CODE)
      await page.keyboard.press('Enter')
      await page.locator('#message .clock').waitFor()
      assert.match(await page.locator('.clock').innerText(), /^1[34]:\d\d د$/)
      await page.goto(preview.page('outcome-lockedOut'))
      assert.match(await page.locator('.clock').innerText(), /^1[34]:\d\d د$/)
    })

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
