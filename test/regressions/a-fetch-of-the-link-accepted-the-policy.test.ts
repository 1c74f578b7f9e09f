// A browser extension that fetched the links of a page, to preview or to check them, accepted the policy in the visitor's
// name: the ledger said `accepted`, and the engine opened the way. Since the first version the acknowledgement allowed
// `Sec-Fetch-Dest: empty`, which only the fetch of Unlock needs, and that has a code.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { acceptanceOf, acknowledgement, type Relay, startRelay } from '../portal/acknowledgement/relay.ts'
import { clickProceed, launchHeadlessShell, openPage } from '../support/browser.ts'
import { rawResponse, respondWith } from '../support/hostile-engine.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

/** What may fetch a page's links before the visitor chooses one. */
const FETCHES = [
  'fetch(link, { redirect: "manual" })',
  'fetch(link, { mode: "no-cors", redirect: "manual" })',
  'new Promise((done) => { const request = new XMLHttpRequest(); request.open("GET", link); request.onloadend = done; request.send() })',
]

describe('a link that a script fetches, in Chromium', { skip: skipWithoutChromium }, () => {
  let browser: Browser
  let relay: Relay
  before(async () => {
    browser = await launchHeadlessShell()
    relay = await startRelay(undefined, respondWith(rawResponse('302 Found', ['Location: http://news.example/'])), {
      env: { GATEWAY_CAPTIVE_BASE_URL: 'http://127.0.0.1' },
    })
  })
  after(async () => {
    await browser?.close()
    await relay?.close()
  })

  for (const fetched of FETCHES) {
    test(`${fetched.slice(0, 40)}… accepts nothing`, async (t) => {
      const { page, allow } = await openPage(t, browser)
      allow(/status of 403/)
      const { page: target, reference } = acknowledgement()
      await page.goto(relay.portal.address + target)
      await page.evaluate(`(async (link) => { await ${fetched} })(document.querySelector('a.primary').href)`)
      assert.equal(relay.engine.connections.length, 0)
      assert.equal(acceptanceOf(relay.portal, reference), undefined)
    })
  }

  test('control: a click accepts', async (t) => {
    relay.engine.behave(respondWith(rawResponse('302 Found', [`Location: ${relay.portal.address}/privacy`])))
    const { page } = await openPage(t, browser)
    const { page: target, reference } = acknowledgement()
    await page.goto(relay.portal.address + target)
    await clickProceed(page.locator('a.primary'))
    await page.waitForURL(/privacy/)
    assert.equal(acceptanceOf(relay.portal, reference)?.state, 'accepted')
  })
})
