// A visitor had the browser translate the page, entered the right code, and got to another host: the translation had put
// spaces into the address and translated its words, and the script of Unlock, since the first version, opened what the page
// showed as the destination.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { acknowledgement, PASSPHRASE, type Relay, startRelay } from '../portal/acknowledgement/relay.ts'
import { clickProceed, launchHeadlessShell, openPage } from '../support/browser.ts'
import { rawResponse, respondWith } from '../support/hostile-engine.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

/** As a translation that ignores `translate="no"`: every text is another. */
const TRANSLATE = `{
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, ({ parentElement }) =>
    parentElement.closest('script, style') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT)
  while (texts.nextNode()) texts.currentNode.data = 'https://elsewhere.example/'
}`

describe('Unlock in Chromium, on a page in translation', { skip: skipWithoutChromium }, () => {
  let browser: Browser
  let relay: Relay
  before(async () => {
    browser = await launchHeadlessShell()
    const accepted = respondWith(rawResponse('302 Found', ['Location: http://news.example/']))
    relay = await startRelay(undefined, accepted, { env: { GATEWAY_CAPTIVE_BASE_URL: 'http://127.0.0.1' } })
  })
  after(async () => {
    await browser?.close()
    await relay?.close()
  })

  for (const isShortened of [false, true]) {
    for (const isTranslated of [true, false]) {
      const name = `leads to the destination, ${isShortened ? 'by its link' : 'by itself'}`
      test(isTranslated ? name : `control, not translated: ${name}`, async (t) => {
        const { page } = await openPage(t, browser)
        // Stands for the site.
        const site = `${relay.portal.address}/privacy?id=7`
        const changes = { kind: 'warn', destination: site, shortened: isShortened, ...PASSPHRASE } as const
        await page.goto(relay.portal.address + acknowledgement(changes).page)
        if (isTranslated) await page.evaluate(TRANSLATE)
        await page.fill('#passphrase', 'sesame')
        await clickProceed(page.locator('#unlock-button'))
        if (isShortened) await page.click('#go-on')
        await page.waitForURL(/privacy/)
        assert.equal(page.url(), site)
      })
    }
  }
})
