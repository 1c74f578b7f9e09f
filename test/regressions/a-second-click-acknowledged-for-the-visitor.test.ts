// Another site could make a visitor acknowledge by double-click jacking: it opened a window over itself, navigated to
// the visitor's verdict page underneath, and made the visitor double-click. The window closed on the first mousedown,
// and the second click hit "Proceed anyway". Since the first version, a page accepted clicks as soon as it came to the
// front.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, describe, type TestContext, test } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { catalogue } from '../../src/portal/page/i18n/catalogue.ts'
import { acceptsClicks, launchHeadlessShell, openPage } from '../support/browser.ts'
import { listen } from '../support/listen.ts'
import { startPreview } from '../support/preview.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

const HOLD_MS = 700

/** When the page last came to the front, and when it was last clicked. */
const NOTE_TIMES = `
  window.focused = -1
  window.clicked = -1
  addEventListener('focus', () => { focused = performance.now() })
  addEventListener('click', () => { clicked = performance.now() }, true)
`

describe('double-click jacking in Chromium', { skip: skipWithoutChromium }, async () => {
  const browser = await launchHeadlessShell({ after })
  const preview = await startPreview({}, { after })
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

  interface Attacked {
    readonly page: Page
    readonly acknowledgements: readonly string[]
    /** Milliseconds from the close of the window to the second click. */
    readonly delay: number
  }

  /** @param pause runs between the two clicks of the double click */
  async function attack(t: TestContext, pause: (page: Page) => Promise<void>): Promise<Attacked> {
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
