// A visitor who clicks again while the engine is slow: the browser drops the earlier navigation or the later click, the
// portal finishes what it began, and the visitor reaches the site.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { acceptanceOf, acknowledgement, attemptsOf, startRelay } from '../../test/portal/acknowledgement/relay.ts'
import { launchHeadlessShell, openPage } from '../../test/support/browser.ts'
import { rawResponse } from '../../test/support/hostile-engine.ts'
import { skipWithoutChromium } from '../../test/support/requirement.ts'
import { until } from '../../test/support/until.ts'

describe('in Chromium', { skip: skipWithoutChromium }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchHeadlessShell()
  })
  after(() => browser?.close())

  for (const isStopped of [false, true])
    test(`three clicks with a slow gateway reach the site${isStopped ? ', stopped in between' : ''}`, async (t) => {
      const site = createServer((_request, response) => {
        response.setHeader('Content-Type', 'text/html')
        response.end('<!doctype html><title>site</title><link rel="icon" href="data:,"><h1>The site</h1>')
      }).listen(0, '127.0.0.1')
      await once(site, 'listening')
      t.after(() => {
        site.close()
        site.closeAllConnections()
      })
      const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
      const held: Socket[] = []
      const { portal, engine } = await startRelay(t, (socket) => held.push(socket), {
        env: { GATEWAY_CAPTIVE_BASE_URL: 'http://127.0.0.1', ENGINE_TIMEOUT_SECONDS: '30' },
      })
      const { page: path, reference } = acknowledgement({ destination: address })
      const { page } = await openPage(t, browser)
      await page.goto(portal.address + path)
      const link = page.getByText('I acknowledge and continue')
      await link.scrollIntoViewIfNeeded()
      const box = await link.boundingBox()
      assert.ok(box !== null)
      // The driver runs no script in a page during a navigation.
      await page.evaluate(`addEventListener('keydown', ({ key }) => key === 's' && stop())`)
      // With the mouse directly: a locator would wait for the navigation that the first click started.
      const click = () => page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)

      // A page may ignore pointer clicks for a moment after it appears.
      for (const deadline = Date.now() + 10_000; held.length === 0; ) {
        assert.ok(Date.now() < deadline, 'no click reached the engine')
        await click()
        await until(() => held.length > 0, 1).catch(() => {})
      }
      for (let more = 0; more < 2; more++) {
        if (isStopped) {
          // Like the browser's stop button: the next click is a separate request.
          await page.keyboard.press('s')
          await until(() => portal.load().relaysWaiting === 0)
        }
        await click()
        if (isStopped) await until(() => portal.load().relaysWaiting === 1)
      }
      assert.equal(held.length, 1, 'the engine got two requests at once')

      const yes = rawResponse('302 Found', [`Location: ${address}`])
      engine.behave((socket) => socket.end(yes))
      held[0]?.end(yes)
      await page.waitForURL(address)
      assert.equal(await page.locator('h1').innerText(), 'The site')
      await until(() => acceptanceOf(portal, reference)?.state === 'accepted' && portal.load().relays === 0)
      const attempts = attemptsOf(portal, reference)
      // Chromium may ignore a click on a link that it is following.
      assert.ok(attempts.length === 2 || (attempts.length === 1 && !isStopped), `${attempts}`)
      assert.ok(attempts.every((status) => status === 302))
    })
})
