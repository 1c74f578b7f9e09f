// The certificate page in a real browser, on a device without and with trust in the certificate.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { launchChromium, openPage } from '../../test/support/browser.ts'
import { fingerprint, type MadeCertificate, makeServed } from '../../test/support/certificates.ts'
import { type RunningPortal, startPortal } from '../../test/support/portal.ts'
import { hasCommand, skipUnless, skipWithoutChromium, skipWithoutOpenssl } from '../../test/support/requirement.ts'
import { type SmallTerminator, startSmallTerminator } from '../../test/support/small-terminator.ts'

const HOST = 'portal.test'
const PAGE = `http://${HOST}/ca`
const skip =
  skipWithoutChromium ||
  skipWithoutOpenssl ||
  skipUnless(hasCommand('certutil'), 'needs certutil: apt-get install libnss3-tools')

describe('the certificate page', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-browser-'))
  /** Two browsers: one trusts the certificate, the other does not. */
  const homes = { stranger: join(folder, 'stranger'), friend: join(folder, 'friend') }
  let ca: MadeCertificate
  let portal: RunningPortal
  let terminator: SmallTerminator
  let stranger: Browser
  let friend: Browser

  before(async () => {
    const served = makeServed(HOST)
    ca = served.ca
    const path = join(folder, 'ca.crt')
    writeFileSync(path, ca.certificate)
    portal = await startPortal(undefined, {
      env: {
        GATEWAY_CAPTIVE_CA_PATH: path,
        GATEWAY_CAPTIVE_BASE_URL: `https://${HOST}`,
        GATEWAY_CAPTIVE_HOSTNAME: HOST,
      },
    })
    terminator = await startSmallTerminator(portal.port, served.leaf)
    const { httpPort: http, httpsPort: https } = terminator
    const map = `MAP ${HOST}:80 127.0.0.1:${http}, MAP ${HOST}:443 127.0.0.1:${https}, MAP other.test:80 127.0.0.1:${http}`
    for (const home of Object.values(homes)) {
      mkdirSync(join(home, '.pki', 'nssdb'), { recursive: true })
      nss(home, '-N', '--empty-password')
    }
    nss(homes.friend, '-A', '-t', 'C,,', '-n', 'Northwind', '-i', path)
    stranger = await launchChromium([`--host-resolver-rules=${map}`], homes.stranger)
    friend = await launchChromium([`--host-resolver-rules=${map}`], homes.friend)
  })
  after(async () => {
    await stranger?.close()
    await friend?.close()
    terminator?.close()
    await portal?.close()
    rmSync(folder, { recursive: true })
  })

  function nss(home: string, ...parameters: readonly string[]): void {
    execFileSync('certutil', ['-d', `sql:${join(home, '.pki', 'nssdb')}`, ...parameters], { timeout: 20_000 })
  }

  interface Opened {
    readonly page: Page
    /** The requests of the page, its own first. */
    readonly asked: string[]
    said(): Promise<string>
  }

  async function open(
    t: TestContext,
    browser: Browser,
    {
      address = PAGE,
      prepare,
      ...options
    }: BrowserContextOptions & { address?: string; prepare?: (page: Page) => Promise<unknown> } = {},
  ): Promise<Opened> {
    const { page, allow } = await openPage(t, browser, options)
    // The failed trust test.
    allow(/Failed to load resource: net::ERR_(CERT_AUTHORITY_INVALID|FAILED|INTERNET_DISCONNECTED)/)
    const asked: string[] = []
    page.on('request', (one) => asked.push(`${one.method()} ${one.url()}`))
    await prepare?.(page)
    await page.goto(address)
    const said = page.locator('#trust-status')
    return {
      page,
      asked,
      async said() {
        await page.locator('#trust:not([data-state=testing])').waitFor({ timeout: 20_000 })
        return (await said.textContent()) ?? ''
      },
    }
  }

  /** Which of two elements of the page comes first. */
  const isBefore = (page: Page, one: string, other: string) =>
    page.evaluate(
      `(document.querySelector('${one}').compareDocumentPosition(document.querySelector('${other}')) & 4) !== 0`,
    )

  test('is complete and styled without trust, and uses https only to test the trust', async (t) => {
    const { page, asked, said } = await open(t, stranger)
    assert.match(await said(), /^Not trusted yet/)
    const colour = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`)
    const edge = await page.evaluate(`getComputedStyle(document.querySelector('article')).backgroundImage`)
    assert.match(String(edge), /^linear-gradient/)
    assert.equal(await colour('details[open] .primary'), 'rgb(61, 66, 196)')
    assert.equal(await page.locator('svg.qr').evaluate((element) => element.getBoundingClientRect().width), 176)
    assert.equal(await page.locator('#sha256').textContent(), fingerprint(ca.certificate, 'sha256', 'pem'))
    assert.deepEqual(asked, [`GET ${PAGE}`, `GET https://${HOST}/healthz`, `HEAD ${PAGE}`])
  })

  test('the trust test follows the steps, and tests again on request', async (t) => {
    const { page, said } = await open(t, stranger)
    assert.match(await said(), /^Not trusted yet/)
    assert.equal(await page.locator('#trust h2').textContent(), 'Check that it worked')
    assert.equal(await page.locator('#trust-status').getAttribute('role'), 'status')
    // As after the steps.
    await page.route(`https://${HOST}/healthz`, (route) => route.fulfill())
    const button = page.locator('#trust-button')
    await button.press('Enter')
    assert.match(await said(), /^Trusted/)
    assert.ok(await isBefore(page, '#systems', '#trust'), 'not moved away from the visitor')
    assert.ok(await button.evaluate((element) => element.matches(':focus') && element.checkVisibility()))
  })

  test('the trust test comes first when the certificate is already in the store', async (t) => {
    const { page, asked, said } = await open(t, friend)
    assert.match(await said(), /^Trusted/)
    assert.equal(await page.locator('#trust').getAttribute('data-state'), 'trusted')
    assert.equal(await page.locator('#trust h2').textContent(), 'Is it already installed?')
    assert.ok(await isBefore(page, '#trust', '#install'))
    assert.ok(await page.locator('#trust-button').isHidden())
    assert.deepEqual(asked, [`GET ${PAGE}`, `GET https://${HOST}/healthz`])
  })

  for (const { where, address, expected } of [
    {
      where: 'over https, where a warning may have been dismissed',
      address: `https://${HOST}/ca`,
      expected: /^If this page opened without a warning/,
    },
    {
      where: 'at an address other than the base URL’s',
      address: 'http://other.test/ca',
      expected: /^The test doesn’t work at this address/,
    },
  ]) {
    test(`reports no result ${where}`, async (t) => {
      const { page, asked, said } = await open(t, stranger, { address, ignoreHTTPSErrors: true })
      assert.match(await said(), expected)
      assert.equal(await page.locator('#trust-elsewhere a').getAttribute('href'), PAGE)
      assert.ok(await page.locator('#trust-elsewhere').isVisible())
      assert.ok(await page.locator('#trust-button').isHidden())
      assert.deepEqual(asked, [`GET ${address}`])
    })
  }

  test('reports no result when nothing responds', async (t) => {
    terminator.setSilent(true)
    t.after(() => terminator.setSilent(false))
    const { page, said } = await open(t, friend, { prepare: (one) => one.clock.install() })
    await page.clock.fastForward(9_000)
    assert.match(await said(), /^Couldn’t test: the portal didn’t respond in time/)
    assert.ok(await page.locator('#trust-elsewhere').isHidden())
    assert.ok(await page.locator('#trust-button').isVisible())
  })

  test('reports no result when the network is down', async (t) => {
    const { page, said } = await open(t, stranger)
    await said()
    await page.context().setOffline(true)
    await page.locator('#trust-button').click()
    assert.match(await said(), /^Couldn’t test: the portal didn’t respond in time/)
  })

  test('without script it shows everything except the trust test', async (t) => {
    const { page, asked } = await open(t, stranger, { javaScriptEnabled: false })
    assert.ok(await page.locator('#trust').isHidden())
    assert.equal(await page.locator('.copyable button:visible').count(), 0)
    for (const system of ['ios', 'android', 'windows', 'macos', 'debian', 'rhel']) {
      const details = page.locator(`#${system}`)
      if ((await details.getAttribute('open')) === null) await details.locator('summary').click()
      assert.ok(await details.locator('.primary').isVisible(), system)
      assert.ok(await details.locator('li').first().isVisible(), system)
    }
    assert.equal(asked.length, 1)
  })

  test('the button downloads the certificate over plain http', async (t) => {
    const { page } = await open(t, stranger)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('details[open] .primary').click(),
    ])
    assert.equal(download.url(), `http://${HOST}/ca.crt`)
    const saved = readFileSync(await download.path())
    assert.equal(fingerprint(saved, 'sha256', 'pem'), fingerprint(ca.certificate, 'sha256', 'pem'))
    assert.equal(download.suggestedFilename(), await page.locator('details[open] .primary + small').textContent())
  })

  test('copies fingerprints, commands and the address, although plain http has no clipboard', async (t) => {
    const { page } = await open(t, stranger)
    assert.equal(await page.evaluate('navigator.clipboard'), undefined)
    await page.evaluate("document.body.insertAdjacentHTML('beforeend', '<textarea id=\"pasted\"></textarea>')")
    const pasted = page.locator('#pasted')
    for (const id of ['sha256', 'sha1', 'command-debian', 'address']) {
      const button = page.locator(`#${id} + button`)
      await button.click()
      await page.locator(`#${id} ~ [role=status]`, { hasText: 'Copied' }).waitFor()
      await pasted.fill('')
      await pasted.press('Control+v')
      assert.equal(await pasted.inputValue(), await page.locator(`#${id}`).textContent(), id)
    }
  })

  test('each copy is announced, and the notice vanishes', async (t) => {
    const { page, said } = await open(t, stranger, { prepare: (one) => one.clock.install() })
    await said()
    const status = page.locator('#sha256 ~ [role=status]')
    await page.evaluate(`{
      window.announced = []
      const status = document.querySelector('#sha256 ~ [role=status]')
      new MutationObserver(() => announced.push(status.textContent)).observe(status, { childList: true })
    }`)
    for (const times of [1, 2]) {
      await page.locator('#sha256 + button').click()
      await page.clock.runFor(200)
      assert.equal(await status.textContent(), 'Copied')
      const announced = (await page.evaluate('announced')) as string[]
      assert.equal(announced.filter((text) => text === 'Copied').length, times)
      // Emptied long enough for a screen reader to notice.
      assert.equal(announced.filter((text) => text === '').length, times - 1)
    }
    await page.clock.runFor(4_000)
    assert.equal(await status.textContent(), 'Copied')
    await page.clock.runFor(1_000)
    assert.equal(await status.textContent(), '')
  })

  test('an iPad, which identifies as a Mac, sees its own steps first', async (t) => {
    const userAgent =
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15'
    const order = async (touchPoints: number) => {
      const prepare = (page: Page) =>
        page.addInitScript(`Object.defineProperty(navigator, 'maxTouchPoints', { value: ${touchPoints} })`)
      const { page } = await open(t, stranger, { userAgent, prepare })
      const first = await page.locator('#systems > details').first().getAttribute('id')
      const opened = await page.locator('#systems > details[open]').evaluateAll((all) => all.map(({ id }) => id))
      const warned = await page.locator('#systems > details:has(#caution)').getAttribute('id')
      return [first, ...opened, warned]
    }
    assert.deepEqual(await order(5), ['ios', 'ios', 'ios'])
    assert.deepEqual(await order(0), ['macos', 'macos', 'macos'])
  })

  test('the download is on the first screen of a phone, in every language; in a sign-in sheet, the address', async (t) => {
    const agents = {
      iPhone:
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      Android:
        'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
    }
    const shown = [
      ['details[open] .primary', agents.iPhone],
      ['details[open] .primary', agents.Android],
      ['#sheet-address + button', agents.iPhone.replace(/ Version.*/, ' Mobile/15E148')],
    ] as const
    for (const [control, userAgent] of shown) {
      const { page } = await open(t, stranger, { userAgent, viewport: { width: 375, height: 667 } })
      for (const language of ['en', 'fr', 'de', 'it']) {
        await page.goto(`${PAGE}?lang=${language}`)
        const box = await page.locator(control).boundingBox()
        const end = box === null ? Number.NaN : box.y + box.height
        assert.ok(end <= 667, `${control}, ${language}: ends at ${end}`)
      }
    }
  })
})
