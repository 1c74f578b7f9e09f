// Browsers offered to save the passphrase as the portal's password, and would have filled it in for the next visitor of a shared
// computer: the field was `type=password`, and browsers ignore `autocomplete=off` on that. Measured with Firefox 153 and
// Chromium 156: Firefox offers to save every field that ever was `type=password`, whatever its attributes say; Chromium all but
// `one-time-code` and those of cards. A text field that style masks is none for either. The controls are the field as it was.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { chromium } from 'playwright-core'
import { acknowledgement, PASSPHRASE, type Relay, startRelay } from '../../test/portal/acknowledgement/relay.ts'
import { CHROMIUM_ARGUMENTS } from '../../test/support/browser.ts'
import { launchFirefoxChrome } from '../../test/support/firefox-chrome.ts'
import { rawResponse, respondWith } from '../../test/support/hostile-engine.ts'
import { chromiumPath, skipWithoutChromium, skipWithoutFirefox } from '../../test/support/requirement.ts'
import { until } from '../../test/support/until.ts'

const CODE = 'open sesame'
/** As WebDriver names it. */
const ENTER = '\ue007'

let relay: Relay
before(async () => {
  const accepted = respondWith(rawResponse('302 Found', ['Location: http://news.example/']))
  relay = await startRelay(undefined, accepted, { env: { GATEWAY_CAPTIVE_BASE_URL: 'http://127.0.0.1' } })
})
after(() => relay?.close())

/** The page, and where Unlock leads. */
function visit() {
  const destination = `${relay.portal.address}/privacy?id=7`
  const { page } = acknowledgement({ kind: 'warn', destination, ...PASSPHRASE })
  return { address: relay.portal.address + page, destination }
}

describe('no offer to save the passphrase', () => {
  test('in Firefox; control: one for a password field', { skip: skipWithoutFirefox }, async (t) => {
    const firefox = await launchFirefoxChrome({ 'signon.rememberSignons': true })
    t.after(() => firefox.close())
    // Also of the small offers behind a key in the address bar, which Firefox makes while somebody types.
    await firefox.inChrome(`
      const { show } = PopupNotifications
      window.offers = []
      PopupNotifications.show = function (browser, id, ...rest) {
        if (id === 'password') offers.push(window.field)
        return show.call(this, browser, id, ...rest)
      }`)
    for (const field of ['passphrase', 'password']) {
      await firefox.inChrome(`window.field = '${field}'`)
      const { address, destination } = visit()
      await firefox.goto(address)
      if (field === 'password') await firefox.inPage(`document.querySelector('#passphrase').type = 'password'`)
      await firefox.type('#passphrase', CODE)
      // Shown and masked again.
      for (let press = 0; press < 2; press++) await firefox.click('#show')
      // By key, because the guard ignores clicks just after the page has appeared.
      await firefox.type('#enter', ENTER)
      await until(async () => (await firefox.url()) === destination)
    }
    await until(async () => ((await firefox.inChrome('return offers')) as string[]).includes('password'))
    assert.doesNotMatch(JSON.stringify(await firefox.inChrome('return offers')), /passphrase/)
  })

  test('in Chromium; control: one for a password field', { skip: skipWithoutChromium }, async (t) => {
    const profile = await mkdtemp(join(tmpdir(), 'chromium-'))
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: chromiumPath as string,
      // A browser that says it is automated saves nothing, and neither does one without these extensions.
      ignoreDefaultArgs: ['--enable-automation', '--disable-component-extensions-with-background-pages'],
      args: [...CHROMIUM_ARGUMENTS, '--password-store=basic'],
    })
    t.after(async () => {
      await context.close()
      await rm(profile, { recursive: true, force: true })
    })
    const log = await context.newPage()
    await log.goto('chrome://password-manager-internals')
    const decisions = async () => String(await log.evaluate('document.body.innerText')).match(/Decision: .*/g) ?? []
    for (const field of ['passphrase', 'password']) {
      const { address, destination } = visit()
      const page = await context.newPage()
      await page.goto(address)
      if (field === 'password') await page.evaluate(`document.querySelector('#passphrase').type = 'password'`)
      await page.focus('#passphrase')
      await page.keyboard.type(CODE)
      for (let press = 0; press < 2; press++) await page.click('#show')
      await page.press('#enter', 'Enter')
      await page.waitForURL(destination)
      if (field === 'passphrase') assert.deepEqual(await decisions(), [])
    }
    await until(async () => (await decisions()).length > 0)
    assert.deepEqual(
      (await decisions()).map((decision) => decision.trim()),
      ['Decision: ASK the user'],
    )
  })
})
