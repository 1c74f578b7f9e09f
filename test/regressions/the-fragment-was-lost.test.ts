// A visitor opened `https://mail.example/story?id=7#/inbox/42`, chose "Proceed anyway", and got the application's first page
// instead of the mail; the same after Unlock and after a change of language. No server sees a fragment: the browser brought it to
// the portal's page, and the page's links, since the first version, left it there.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { VerdictClaims } from '../../src/contract/verdict.ts'
import { acknowledgement, PASSPHRASE, type Relay, startRelay } from '../portal/acknowledgement/relay.ts'
import { clickProceed, launchHeadlessShell, openPage } from '../support/browser.ts'
import { rawResponse, respondWith } from '../support/hostile-engine.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

const FRAGMENT = '#/inbox/42'

describe('the fragment in Chromium', { skip: skipWithoutChromium }, () => {
  let browser: Browser
  let relay: Relay
  let site: string
  before(async () => {
    browser = await launchHeadlessShell()
    relay = await startRelay(undefined, () => {}, { env: { GATEWAY_CAPTIVE_BASE_URL: 'http://127.0.0.1' } })
    // Stands for the site.
    site = `${relay.portal.address}/privacy?id=7`
    relay.engine.behave(respondWith(rawResponse('302 Found', [`Location: ${site}`])))
  })
  after(async () => {
    await browser?.close()
    await relay?.close()
  })

  const ways: Readonly<Record<string, Partial<VerdictClaims>>> = {
    a: { kind: 'warn' },
    button: { kind: 'aup', ...PASSPHRASE },
  }
  for (const [element, claims] of Object.entries(ways)) {
    test(`is still there after a <${element}>, and a change of language before`, async (t) => {
      const { page } = await openPage(t, browser)
      const address = relay.portal.address + acknowledgement({ destination: site, ...claims }).page
      await page.goto(address + FRAGMENT)
      await page.locator('header summary').press('Enter')
      await page.locator('header a[lang=fr]').press('Enter')
      await page.locator('html[lang=fr]').waitFor()
      assert.equal(page.url(), address + FRAGMENT)
      if (element === 'button') await page.fill('#passphrase', 'sesame')
      await clickProceed(page.locator(element === 'a' ? 'a.button' : '#unlock-button'))
      await page.waitForURL((url) => url.href === site + FRAGMENT)
    })
  }

  test('control: without one, none is added', async (t) => {
    const { page } = await openPage(t, browser)
    await page.goto(relay.portal.address + acknowledgement({ destination: site, kind: 'warn' }).page)
    await clickProceed(page.locator('a.button'))
    await page.waitForURL((url) => url.href === site)
  })
})
