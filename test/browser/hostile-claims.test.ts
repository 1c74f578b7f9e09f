// Hostile text in every claim, in a real browser: no element beyond the page's own, no script runs, no console error.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, describe, type TestContext, test } from 'node:test'
import { MOST_WITHOUT_SCROLLING } from '../../src/portal/page/destination-box.ts'
import { launchHeadlessShell, openPage, watchInjected } from '../support/browser.ts'
import { HOSTILE_TEXTS } from '../support/hostile.ts'
import { listen } from '../support/listen.ts'
import { ACK_TOKEN, claims, verdictTarget } from '../support/payloads.ts'
import { NOW, startPortal } from '../support/portal.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

describe('hostile claims in Chromium', { skip: skipWithoutChromium }, async () => {
  const browser = await launchHeadlessShell({ after })
  const portal = await startPortal(
    { after },
    { env: { ENGINE_INTERNAL_URL: 'http://127.0.0.1:1', GATEWAY_CAPTIVE_BASE_URL: 'http://127.0.0.1' } },
  )

  const count = `document.querySelectorAll('*').length`

  const kinds = [
    { kind: 'block' },
    { kind: 'warn', ack_token: ACK_TOKEN },
    { kind: 'aup', ack_token: ACK_TOKEN, override: { type: 'passphrase', prompt: 'x' } },
  ] as const
  for (const base of kinds) {
    test(`on the ${base.kind} page`, async (t) => {
      const { page } = await openPage(t, browser)
      const injected = watchInjected(page, portal.address)
      await page.goto(portal.address + verdictTarget(claims(NOW, base)))
      const elements = Number(await page.evaluate(count))
      for (const text of HOSTILE_TEXTS) {
        const hostile = claims(NOW, {
          ...base,
          destination: `https://evil.example/${text}?q=${text}#${text}`,
          rule_name: text,
          rule_description: text,
          category: text,
          ...('override' in base && { override: { type: 'passphrase', prompt: text.slice(0, 26) } }),
        })
        const response = await page.goto(portal.address + verdictTarget(hostile))
        assert.equal(response?.status(), 200, text)
        // A long path scrolls, in one more element.
        const { length } = (await page.locator('.url > bdi').first().textContent()) ?? ''
        const scrolling = length > 'https://evil.example'.length + MOST_WITHOUT_SCROLLING ? 1 : 0
        assert.equal(await page.evaluate(count), elements + scrolling, text)
      }
      assert.deepEqual(injected, { dialogs: 0, outside: [] })
    })
  }

  test('in a frame only the compact notice appears', async (t) => {
    const { page, allow } = await openPage(t, browser)
    allow(/403/)
    const address = `${portal.address}${verdictTarget(claims(NOW)).replaceAll('&', '&amp;')}`
    await page.goto(await startElsewhere(t, `<iframe src="${address}"></iframe>`))
    const frame = page.frameLocator('iframe')
    assert.match(await frame.locator('body').innerText(), /This content is blocked/)
    assert.equal(await frame.locator('a, script, button').count(), 0)
  })

  test('a page opened by a script of another site has no opener, and that site cannot access it', async (t) => {
    // The header that isolates the two is sent when the public address is https, also over plain http.
    const secure = await startPortal(t)
    const { page } = await openPage(t, browser)
    await page.goto(await startElsewhere(t, ''))
    const open = (address: string) =>
      Promise.all([page.waitForEvent('popup'), page.evaluate(`void (window.opened = window.open('${address}'))`)])
    const isIsolated = async ([opened]: Awaited<ReturnType<typeof open>>) => {
      await opened.waitForLoadState()
      return [await opened.evaluate('window.opener === null'), await page.evaluate('window.opened.closed')]
    }
    assert.deepEqual(await isIsolated(await open(secure.address + verdictTarget(claims(NOW)))), [true, true])
    // A page without that header stays accessible.
    assert.deepEqual(await isIsolated(await open(await startElsewhere(t, ''))), [false, false])
  })
})

/** Starts another site with this page. */
async function startElsewhere(t: TestContext, body: string): Promise<string> {
  const elsewhere = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end(`<title>x</title>${body}`)
  })
  return `http://elsewhere.localhost:${await listen(t, elsewhere)}/`
}
