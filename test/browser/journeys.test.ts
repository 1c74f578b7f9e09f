// Journeys of a visitor, in a real browser, through a gateway, the engine and the portal, over plain http. Over TLS, with the
// published CA in the browser's store: checks/gateway/journeys.test.ts. Through the proxy: checks/gateway/journeys.test.ts. What
// scripts do besides: checks/browser/engines/.
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { type Demo, startDemo } from '../../demo/start.ts'
import {
  acceptsClicks,
  CHROMIUM,
  clickProceed,
  ENGINES,
  type RunningEngine,
  type Settings,
} from '../support/browser.ts'
import { inReverse } from '../support/cleanup.ts'
import { until } from '../support/until.ts'

const REFUSED_CODE = /Failed to load resource: the server responded with a status of (403|429|502)/

for (const engine of ENGINES) {
  describe(`journeys in ${engine.name}`, { skip: engine.skip }, () => {
    let browser: RunningEngine
    let demo: Demo
    const engineLog: string[] = []
    const suite = inReverse({ after })

    before(async () => {
      demo = await startDemo({
        policyFile: fileURLToPath(new URL('journeys.toml', import.meta.url)),
        ports: [0],
        onLog: (program, line) => {
          if (program === 'engine') engineLog.push(line)
        },
      })
      suite.after(demo.stop)
      browser = await engine.start()
      suite.after(browser.close)
    })

    const site = (name: string, path = '/start?x=1') => `http://${name}.localhost:${demo.port}${path}`

    async function visit(t: TestContext, address: string, settings?: Settings) {
      const watched = await browser.openPage(t, settings)
      await watched.page.goto(address)
      return watched
    }

    const heading = (page: Page) => page.locator('h1').innerText()

    async function assertReached(page: Page, address: string) {
      await page.waitForURL(address)
      assert.match(await heading(page), /You have reached/)
    }

    async function fillPin(page: Page, pin: string) {
      await page.locator('[inputmode]').first().focus()
      await page.keyboard.type(pin)
    }

    test('warn: proceed, reach the site, and reach it directly afterwards', async (t) => {
      const { page } = await visit(t, site('news'))
      assert.equal(await heading(page), 'Take care with this site')
      await clickProceed(page.getByText('Proceed anyway'))
      await assertReached(page, site('news'))
      await page.goto(site('news', '/another'))
      await assertReached(page, site('news', '/another'))
    })

    test('the back button after an acknowledgement shows the warning again, and its button still works', async (t) => {
      const { page } = await visit(t, site('fresh'))
      const warned = page.url()
      await clickProceed(page.getByText('Proceed anyway'))
      await assertReached(page, site('fresh'))
      await page.goBack()
      await page.waitForURL(warned)
      assert.equal(await heading(page), 'Take care with this site')
      await clickProceed(page.getByText('Proceed anyway'))
      await assertReached(page, site('fresh'))
    })

    test('a double click acknowledges once', async (t) => {
      const { page } = await visit(t, site('twice'))
      const reference = await page.locator('dd bdi[dir=ltr]').innerText()
      await acceptsClicks(page)
      await page.dblclick('text=Proceed anyway')
      await assertReached(page, site('twice'))
      const accepted = () =>
        engineLog
          .map((line) => JSON.parse(line))
          .filter((line) => line.reference === reference && line.outcome === 'accepted')
      // The line may come after the page.
      await until(() => accepted().length > 0)
      assert.equal(accepted().filter(({ repeated }) => repeated !== true).length, 1)
    })

    test('aup: read, accept, reach the site', async (t) => {
      const { page } = await visit(t, site('social'))
      assert.equal(new URL(page.url()).pathname, '/aup')
      await clickProceed(page.getByText('I acknowledge and continue'))
      await assertReached(page, site('social'))
    })

    describe('PIN', () => {
      test('the focus advances with digits and goes back, and nothing is sent before Unlock', async (t) => {
        const { page, allow } = await visit(t, site('video'))
        allow(REFUSED_CODE)
        const asked: string[] = []
        page.on('request', (request) => asked.push(request.url()))
        assert.equal(await page.locator('a.primary:visible').count(), 0)
        assert.equal(await page.locator('[inputmode]').count(), 6)
        await fillPin(page, '12345')
        assert.equal(await focusedBox(page), 'Digit 6 of 6')
        await page.keyboard.press('Backspace')
        assert.equal(await focusedBox(page), 'Digit 5 of 6')
        await page.keyboard.type('x99')
        assert.deepEqual(await boxes(page), ['1', '2', '3', '4', '9', '9'])
        assert.deepEqual(asked, [], 'a request before Unlock was pressed')

        await clickProceed(page.locator('#enter'))
        await page.locator('#message', { hasText: 'That code is incorrect. 4 attempts left.' }).waitFor()
        assert.deepEqual(await boxes(page), ['', '', '', '', '', ''])
        assert.equal(await focusedBox(page), 'Digit 1 of 6')

        await page.keyboard.type('004711')
        await page.keyboard.press('Enter')
        await assertReached(page, site('video'))
        await page.goBack().catch(() => {})
        assert.ok(!page.url().includes('/warned'), 'the page with the code field is still in the history')
      })

      test('a pasted code fills the boxes; an incomplete one gets a message', async (t) => {
        const { page } = await visit(t, site('vault'))
        await clickProceed(page.locator('#enter'))
        await page.locator('#message', { hasText: 'Enter the complete code.' }).waitFor()
        const message = await page.context().newPage()
        await message.setContent('<input value=" 12-34 ">')
        await message.focus('input')
        await message.keyboard.press('ControlOrMeta+A')
        await message.keyboard.press('ControlOrMeta+C')
        await message.close()
        await page.bringToFront()
        await page.locator('[inputmode]').first().focus()
        await page.keyboard.press('ControlOrMeta+V')
        assert.deepEqual(await boxes(page), ['1', '2', '3', '4'])
      })

      test('too many wrong codes lock out with a countdown, and the right code works afterwards', async (t) => {
        const { page, allow } = await visit(t, site('vault'))
        allow(REFUSED_CODE)
        const said = (text: string) => page.locator('#message', { hasText: text }).waitFor()
        await fillPin(page, '0000')
        await clickProceed(page.locator('#enter'))
        await said('That code is incorrect. 1 attempt left.')
        await fillPin(page, '1111')
        await clickProceed(page.locator('#enter'))
        await said('Too many wrong codes were entered.')
        assert.equal(await heading(page), 'Too many attempts')
        assert.match(await page.locator('#message').innerText(), /^0:0\d min\n.* You can try again at \d\d:\d\d\.$/)
        await said('You can try again now.')
        assert.equal(await heading(page), 'This page needs a code')
        await fillPin(page, '1234')
        await clickProceed(page.locator('#enter'))
        await assertReached(page, site('vault'))
      })

      const boxes = (page: Page) =>
        page.evaluate(`Array.from(document.querySelectorAll('[inputmode]'), (input) => input.value)`)
      const focusedBox = (page: Page) => page.evaluate('document.activeElement.getAttribute("aria-label")')
    })

    test('passphrase: its own prompt verbatim, umlauts and emoji, shown on demand, Enter unlocks', async (t) => {
      const { page } = await visit(t, site('archive'))
      assert.equal(await page.locator('label[for=passphrase]').innerText(), 'Schlüsselwort vom Empfang <b>&amp;</b>')
      assert.match(await page.locator('article').innerText(), /By unlocking the page, you accept this policy/)
      const field = page.locator('#passphrase')
      const masked = () => page.evaluate(`getComputedStyle(document.querySelector('#passphrase')).webkitTextSecurity`)
      assert.equal(await masked(), 'disc')
      await field.fill('Grüße aus Köln 🗝️')
      await page.click('#show')
      assert.equal(await masked(), 'none')
      await field.press('Enter')
      await assertReached(page, site('archive'))
    })

    test('the language is changed in the topbar and kept', async (t) => {
      const { page } = await visit(t, site('casino'), { locale: 'fr-CH' })
      assert.equal(await page.locator('html').getAttribute('lang'), 'fr')
      const before = page.url()
      await page.locator('header summary').press('Enter')
      await page.locator('details a[lang=de]').press('Enter')
      await page.locator('html[lang=de]').waitFor()
      assert.equal(page.url(), before)
      await page.goto(site('casino', '/elsewhere'))
      assert.equal(await page.locator('html').getAttribute('lang'), 'de')
    })

    test('the open language menu closes on a press outside of it only', async (t) => {
      const { page } = await visit(t, site('casino'))
      const isOpen = () => page.evaluate('document.querySelector("header details").open')
      await page.click('header summary')
      // Between the links, where nothing gets the focus.
      await page.locator('header ul').click({ position: { x: 2, y: 2 } })
      assert.equal(await isOpen(), true)
      await page.click('h1')
      assert.equal(await isOpen(), false)
    })

    test('the theme follows the system, is switched in the topbar, and stays without a flash', async (t) => {
      const isDark = engine === CHROMIUM
      const { page } = await visit(t, site('casino'), { colorScheme: isDark ? 'dark' : 'light' })
      const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
      const isPressed = () => page.locator('#theme').getAttribute('aria-pressed')
      const before = await ground()
      assert.equal(await isPressed(), `${isDark}`)
      await page.click('#theme')
      assert.equal(await isPressed(), `${!isDark}`)
      const chosen = await ground()
      assert.notEqual(chosen, before)
      // The choice has to stand before the body is parsed.
      await page.addInitScript({
        content: `new MutationObserver((_, observer) => {
          if (!document.body) return
          window.darkAtFirstPaint = document.getElementById('dark').media
          observer.disconnect()
        }).observe(document, { childList: true, subtree: true })`,
      })
      await page.reload()
      assert.equal(await page.evaluate('window.darkAtFirstPaint'), isDark ? 'not all' : 'screen')
      assert.equal(await ground(), chosen)
    })
  })
}
