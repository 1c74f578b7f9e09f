// Stories of pages that a browser shows; each suite is one.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, describe, type TestContext, test } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import type { VerdictClaims } from '../../src/contract/verdict.ts'
import { acceptanceOf, acknowledgement, PASSPHRASE, startRelay } from '../portal/acknowledgement/relay.ts'
import { acceptsClicks, clickProceed, launchHeadlessShell, openPage } from '../support/browser.ts'
import { catalogue } from '../support/catalogue.ts'
import { rawResponse, respondWith } from '../support/hostile-engine.ts'
import { listen } from '../support/listen.ts'
import { startPreview } from '../support/preview.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

describe('in Chromium', { skip: skipWithoutChromium }, async () => {
  const browser = await launchHeadlessShell({ after })
  const preview = await startPreview({ GATEWAY_CAPTIVE_PROXY: 'proxy.school.example:3128' }, { after })
  const relay = await startRelay({ after }, () => {}, { env: { GATEWAY_CAPTIVE_BASE_URL: 'http://127.0.0.1' } })
  // Stands for the site.
  const site = `${relay.portal.address}/privacy?id=7`
  relay.engine.behave(respondWith(rawResponse('302 Found', [`Location: ${site}`])))
  const open = async (t: TestContext, address: string) => {
    const watched = await openPage(t, browser)
    await watched.page.goto(address)
    return watched
  }

  // A visitor typed 279913, clicked into the fourth box to correct it, typed 4, and sent 279941 instead of 279413: the click had
  // placed the caret next to the 9, and the box held two digits, of which the script, since the first version, moved one into the
  // next box. Input methods committed a digit to the box that the script had moved the focus to: each came twice.
  describe('a PIN', () => {
    async function openPin(t: TestContext): Promise<Page> {
      const { page } = await open(t, preview.page('warned-pin'))
      await page.locator('[inputmode]').first().focus()
      return page
    }
    const code = (page: Page) =>
      page.evaluate(`Array.from(document.querySelectorAll('[inputmode]'), ({ value }) => value).join('')`)

    test('is corrected where the caret is', async (t) => {
      const page = await openPin(t)
      await page.keyboard.type('279913')
      // The second click only places the caret.
      for (let click = 0; click < 2; click++) await page.locator('[inputmode]').nth(3).click()
      await page.keyboard.type('4')
      assert.equal(await code(page), '279413')
    })

    test('by an input method has each digit once', async (t) => {
      const page = await openPin(t)
      const client = await page.context().newCDPSession(page)
      for (const digit of '２７９４１３') {
        await client.send('Input.imeSetComposition', { text: digit, selectionStart: 1, selectionEnd: 1 })
        await client.send('Input.insertText', { text: digit })
      }
      assert.equal(await code(page), '279413')
    })

    test('control: typed from the first box to the last', async (t) => {
      const page = await openPin(t)
      await page.keyboard.type('279413')
      assert.equal(await code(page), '279413')
    })
  })

  // A browser extension that fetched the links of a page, to preview or to check them, accepted the policy in the visitor's
  // name: the ledger said `accepted`, and the engine opened the way. Since the first version the acknowledgement allowed
  // `Sec-Fetch-Dest: empty`, which only the fetch of Unlock needs, and that has a code.
  describe('a link that a script fetches', () => {
    /** What may fetch a page's links before the visitor chooses one. */
    const FETCHES = [
      'fetch(link, { redirect: "manual" })',
      'fetch(link, { mode: "no-cors", redirect: "manual" })',
      'new Promise((done) => { const request = new XMLHttpRequest(); request.open("GET", link); request.onloadend = done; request.send() })',
    ]
    for (const fetched of FETCHES) {
      test(`${fetched.slice(0, 40)}… accepts nothing`, async (t) => {
        const { page: target, reference } = acknowledgement()
        const { page, allow } = await open(t, relay.portal.address + target)
        allow(/status of 403/)
        await page.evaluate(`(async (link) => { await ${fetched} })(document.querySelector('a.primary').href)`)
        assert.equal(relay.engine.connections.length, 0)
        assert.equal(acceptanceOf(relay.portal, reference), undefined)
      })
    }

    test('control: a click accepts', async (t) => {
      const { page: target, reference } = acknowledgement()
      const { page } = await open(t, relay.portal.address + target)
      await clickProceed(page.locator('a.primary'))
      await page.waitForURL(/privacy/)
      assert.equal(acceptanceOf(relay.portal, reference)?.state, 'accepted')
    })
  })

  // The sheet to hand out had no button for light and dark, and its language menu stayed open: since the sheet exists (2026.48.5),
  // its policy allowed the script of the certificate page, and browsers refused its own.
  for (const [name, target] of [
    ['the sheet runs its script', '/ca/sheet'],
    ['control: the certificate page always did', '/ca'],
  ] as const) {
    test(name, async (t) => {
      const { page } = await open(t, preview.address + target)
      const isDark = () => page.locator('#theme').getAttribute('aria-pressed')
      const before = await isDark()
      await page.click('#theme')
      assert.deepEqual([before, await isDark()], ['false', 'true'])
    })
  }

  // A visitor had the browser translate the page, entered the right code, and got to another host: the translation had put
  // spaces into the address and translated its words, and the script of Unlock, since the first version, opened what the page
  // showed as the destination.
  describe('Unlock, on a page in translation', () => {
    /** As a translation that ignores `translate="no"`: every text is another. */
    const TRANSLATE = `{
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, ({ parentElement }) =>
        parentElement.closest('script, style') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT)
      while (texts.nextNode()) texts.currentNode.data = 'https://elsewhere.example/'
    }`
    for (const isShortened of [false, true]) {
      for (const isTranslated of [true, false]) {
        const name = `leads to the destination, ${isShortened ? 'by its link' : 'by itself'}`
        test(isTranslated ? name : `control, not translated: ${name}`, async (t) => {
          const changes = { kind: 'warn', destination: site, shortened: isShortened, ...PASSPHRASE } as const
          const { page } = await open(t, relay.portal.address + acknowledgement(changes).page)
          if (isTranslated) await page.evaluate(TRANSLATE)
          await page.fill('#passphrase', 'sesame')
          await clickProceed(page.locator('#enter'))
          if (isShortened) await page.click('#go-on')
          await page.waitForURL(/privacy/)
          assert.equal(page.url(), site)
        })
      }
    }
  })

  // The copied details had the time as the page had been sent, which was UTC until GATEWAY_TIMEZONE could set another zone for
  // it. From then on the help desk got the operator's time alone.
  describe('the copied time is in UTC, too', () => {
    /** @returns the copied text's lines with the time, and what the page shows of it */
    async function timesOf(t: TestContext, timeZone: string, locale: string) {
      const preview = await startPreview({ GATEWAY_TIMEZONE: timeZone }, t)
      const { page } = await openPage(t, browser, { locale, timezoneId: 'America/New_York' })
      await page.goto(preview.page('blocked'))
      const copied = (await page.locator('#copy-text').textContent()) ?? ''
      const lines = copied.split('\n').filter((line) => line.includes('2027'))
      const shown = await page.locator('dd:has(time)').innerText()
      // It does not break within the time.
      return [...lines, shown.replaceAll('\u00a0', ' ')]
    }

    test('with the operator’s own time zone', async (t) => {
      assert.deepEqual(await timesOf(t, 'Asia/Tokyo', 'en-GB'), [
        'Time: 15 January 2027 at 17:00 GMT+9 (2027-01-15T08:00:00Z)',
        '15 January 2027 at 03:00',
      ])
      assert.deepEqual(await timesOf(t, 'Europe/Zurich', 'de'), [
        'Zeitpunkt: 15. Januar 2027 um 09:00 MEZ (2027-01-15T08:00:00Z)',
        '15. Januar 2027 um 03:00',
      ])
    })

    test('without one', async (t) => {
      const [copied] = await timesOf(t, '', 'en-GB')
      assert.equal(copied, 'Time: 15 January 2027 at 08:00 UTC (2027-01-15T08:00:00Z)')
    })
  })

  // A visitor who had used the skip link pressed "Go back" on a warning, and the page stayed: the link had added an entry to the
  // history, which differs only in its fragment, and the button, since the first version, went back by one.
  describe('“Go back”', () => {
    const histories: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
      'after the skip link': (page) => page.locator('.skip').press('Enter'),
      'after three changes of the fragment': (page) =>
        page.evaluate(`for (const one of ['one', 'two', 'main']) history.pushState(null, '', '#' + one)`),
      'control: at once': async () => {},
    }
    for (const [name, act] of Object.entries(histories)) {
      test(name, async (t) => {
        const { page } = await open(t, `${preview.address}/`)
        await page.evaluate(`location = ${JSON.stringify(preview.page('warned'))}`)
        await page.locator('#back').waitFor()
        const address = page.url()
        await act(page)
        assert.equal(page.url().split('#')[0], address)
        await page.locator('#back').press('Enter')
        await page.waitForURL(`${preview.address}/`)
      })
    }
  })

  // A visitor opened `https://mail.example/story?id=7#/inbox/42`, chose "Proceed anyway", and got the application's first page
  // instead of the mail; the same after Unlock and after a change of language. No server sees a fragment: the browser brought it to
  // the portal's page, and the page's links, since the first version, left it there.
  describe('the fragment', () => {
    const FRAGMENT = '#/inbox/42'
    const ways: Readonly<Record<string, Partial<VerdictClaims>>> = {
      a: { kind: 'warn' },
      button: { kind: 'aup', ...PASSPHRASE },
    }
    for (const [element, claims] of Object.entries(ways)) {
      test(`is still there after a <${element}>, and a change of language before`, async (t) => {
        const address = relay.portal.address + acknowledgement({ destination: site, ...claims }).page
        const { page } = await open(t, address + FRAGMENT)
        await page.locator('header summary').press('Enter')
        await page.locator('header a[lang=fr]').press('Enter')
        await page.locator('html[lang=fr]').waitFor()
        assert.equal(page.url(), address + FRAGMENT)
        if (element === 'button') await page.fill('#passphrase', 'sesame')
        await clickProceed(page.locator(element === 'a' ? 'a.button' : '#enter'))
        await page.waitForURL((url) => url.href === site + FRAGMENT)
      })
    }

    test('control: without one, none is added', async (t) => {
      const { page } = await open(t, relay.portal.address + acknowledgement({ destination: site, kind: 'warn' }).page)
      await clickProceed(page.locator('a.button'))
      await page.waitForURL((url) => url.href === site)
    })
  })

  // Another site could make a visitor acknowledge by double-click jacking: it opened a window over itself, navigated to
  // the visitor's verdict page underneath, and made the visitor double-click. The window closed on the first mousedown,
  // and the second click hit "Proceed anyway". Since the first version, a page accepted clicks as soon as it came to the
  // front.
  describe('a second click acknowledged for the visitor', async () => {
    const HOLD_MS = 700
    /** When the page last came to the front, and when it was last clicked. */
    const NOTE_TIMES = `
      window.focused = window.clicked = -1
      addEventListener('focus', () => { focused = performance.now() })
      addEventListener('click', () => { clicked = performance.now() }, true)
    `

    const server = createServer((request, response) => {
      response.setHeader('content-type', 'text/html')
      const popup = '<h1>Double-click</h1><script>onmousedown = () => close()</script>'
      const opener = `<button>Play</button><script>
        document.querySelector('button').onclick = () => {
          open('/popup', '', 'popup,width=500,height=400')
          location = ${JSON.stringify(preview.page('warned'))}
        }</script>`
      response.end(`<!doctype html><link rel="icon" href="data:,">${request.url === '/popup' ? popup : opener}`)
    })

    // A different site from the portal's 127.0.0.1.
    const attacker = `http://localhost:${await listen({ after }, server)}`

    /**
     * @param pause runs between the two clicks of the double click
     * @returns also the milliseconds from the close of the window to the second click
     */
    async function attack(t: TestContext, pause: (page: Page) => Promise<void>) {
      const { page } = await openPage(t, browser)
      await page.addInitScript({ content: NOTE_TIMES })
      const acknowledgements: string[] = []
      page.on('request', (request) => {
        if (request.url().includes('/api/captive/ack')) acknowledgements.push(request.url())
      })
      await page.goto(attacker)
      const opening = page.waitForEvent('popup')
      await page.click('button')
      const popup = await opening
      await popup.waitForLoadState()
      await page.waitForURL(preview.page('warned'))
      const client = await page.context().newCDPSession(page)
      await stopFocusEmulation(client)
      await acceptsClicks(page)
      const link = await page.locator('a.button').boundingBox()
      assert.ok(link)

      // Without a window manager every window keeps the focus: the test takes it from the opener and gives it back.
      await setWindowState(client, 'minimized')
      await waitFor(page, '!document.hasFocus()')
      const closed = popup.waitForEvent('close')
      await popup.mouse.move(100, 100)
      // The window closes before the press completes.
      await popup.mouse.down().catch(() => {})
      await closed
      await page.evaluate('focused = -1')
      await setWindowState(client, 'normal')
      await waitFor(page, 'focused >= 0')
      await pause(page)
      await page.mouse.click(link.x + link.width / 2, link.y + link.height / 2)
      // Fails if the page has already navigated to the site.
      const delay = await page.evaluate('clicked - focused').then(Number, () => 0)
      return { page, acknowledgements, delay }
    }

    test('the second click acknowledges nothing, and the page shows a notice', async (t) => {
      let attacked = await attack(t, async () => {})
      // On a busy machine the second click may be too late for a double click.
      for (let round = 1; attacked.delay >= HOLD_MS && round < 5; round++) attacked = await attack(t, async () => {})
      const { page, acknowledgements, delay } = attacked
      assert.ok(delay < HOLD_MS, `the click came after ${delay} ms`)
      await page.getByRole('status').getByText(catalogue.en.clickTooSoon).waitFor({ timeout: 5000 })
      assert.deepEqual(acknowledgements, [])
      assert.equal(page.url(), preview.page('warned'))
    })

    test('control: a separate, later click acknowledges', async (t) => {
      const { page, acknowledgements } = await attack(t, acceptsClicks)
      await page.waitForURL(`${preview.address}/preview/accepted`)
      assert.equal(acknowledgements.length, 1)
    })
  })
})

/** The driver's session keeps every page focused; disabling that takes effect only after enabling it here first. */
async function stopFocusEmulation(client: CDPSession): Promise<void> {
  for (const enabled of [true, false]) await client.send('Emulation.setFocusEmulationEnabled', { enabled })
}

async function setWindowState(client: CDPSession, windowState: 'minimized' | 'normal'): Promise<void> {
  const { windowId } = await client.send('Browser.getWindowForTarget')
  await client.send('Browser.setWindowBounds', { windowId, bounds: { windowState } })
}

/** Polls, because the page's CSP blocks Playwright's own waiting in the page. */
async function waitFor(page: Page, condition: string): Promise<void> {
  while (!(await page.evaluate(condition))) await page.waitForTimeout(5)
}
