// The copied details had the time as the page had been sent, which was UTC until GATEWAY_TIMEZONE could set another zone for
// it. From then on the help desk got the operator's time alone.
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchHeadlessShell, openPage } from '../support/browser.ts'
import { startPreview } from '../support/preview.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

describe('the copied time is in UTC, too', { skip: skipWithoutChromium }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchHeadlessShell()
  })
  after(() => browser?.close())

  /** @returns the copied text's line with the time, and what the page shows of it */
  async function timesOf(t: TestContext, timeZone: string, locale: string) {
    const preview = await startPreview({ GATEWAY_TIMEZONE: timeZone })
    t.after(() => preview.close())
    const { page } = await openPage(t, browser, { locale, timezoneId: 'America/New_York' })
    await page.goto(preview.page('blocked'))
    const copied = (await page.locator('#copy-text').textContent()) ?? ''
    return [copied.split('\n').find((line) => line.includes('2027')), await page.locator('dd:has(time)').innerText()]
  }

  test('with the operator’s own time zone', async (t) => {
    assert.deepEqual(await timesOf(t, 'Asia/Tokyo', 'en-GB'), [
      'Time: 15 January 2027 at 17:00:00 GMT+9 (15 January 2027 at 08:00:00 UTC)',
      '15 January 2027 at 03:00:00 GMT-5',
    ])
    assert.deepEqual(await timesOf(t, 'Europe/Zurich', 'de'), [
      'Zeitpunkt: 15. Januar 2027 um 09:00:00 MEZ (15. Januar 2027 um 08:00:00 UTC)',
      '15. Januar 2027 um 03:00:00 GMT-5',
    ])
  })

  test('without one', async (t) => {
    const [copied] = await timesOf(t, '', 'en-GB')
    assert.equal(copied, 'Time: 15 January 2027 at 08:00:00 UTC')
  })
})
