// A real browser with the real terminator, portal and engine: it rejects the portal until it trusts the CA from the
// certificate page, and then completes the visit.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { policy } from '../../test/engine/running-engine.ts'
import { clickProceed, launchChromium, openPage } from '../../test/support/browser.ts'
import { trustCa } from '../../test/support/certificate-store.ts'
import { skipWithoutCertutil, skipWithoutChromium } from '../../test/support/requirement.ts'
import { skipWithoutNginx } from '../../test/support/terminator.ts'
import { startChain } from '../../test/terminator/chain.ts'

const RULES = `
  [[rules]]
  name = "news"
  match = ["news.example"]
  action = "warn"
  [[rules]]
  name = "video"
  match = ["video.example"]
  action = "aup"
  override = { type = "pin", code = "274913" }`
const skip = skipWithoutNginx || skipWithoutChromium || skipWithoutCertutil

describe('a browser and the whole chain', { skip }, async () => {
  const chain = await startChain({ after }, policy(RULES))
  const origin = `https://portal.example:${chain.terminator.httpsPort}`
  const site = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<title>Reached</title>'),
  )
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  const home = mkdtempSync(join(tmpdir(), 'browser-home-'))
  const download = join(home, 'ca.crt')
  after(async () => {
    site.close()
    site.closeAllConnections()
    rmSync(home, { recursive: true, force: true })
  })
  const destination = (host: string) => `http://${host}:${(site.address() as AddressInfo).port}/today?id=7`
  const verdict = async (page: string, host: string) =>
    `${origin}${page}?${await chain.engine.verdict(destination(host))}`

  async function open(t: TestContext) {
    const browser = await launchChromium(['--host-resolver-rules=MAP *.example 127.0.0.1'], home)
    t.after(() => browser.close())
    return await openPage(t, browser)
  }

  /** @returns the result of the trust test on the certificate page, over plain http */
  async function trustTest(page: Page): Promise<string> {
    await page.goto(`${chain.plainUrl}/ca`)
    await page.locator('#trust:not([data-state=testing])').waitFor()
    return (await page.locator('#trust-status').textContent()) ?? ''
  }

  test('without the CA only the certificate page loads; it reports that and offers the CA', async (t) => {
    const { page, allow } = await open(t)
    allow(/ERR_CERT_AUTHORITY_INVALID/)
    assert.match(await trustTest(page), /^Not trusted yet/)
    const downloading = page.waitForEvent('download')
    await page.locator('a[href="/ca.crt"]:visible').first().click()
    await (await downloading).saveAs(download)
    const { stdout } = await promisify(execFile)('curl', ['-sS', '--cacert', download, `${chain.baseUrl}/healthz`])
    assert.equal(JSON.parse(stdout).status, 'ok')
    await assert.rejects(page.goto(`${origin}/privacy`), /ERR_CERT_AUTHORITY_INVALID/)
  })

  test('with the CA in its store: from the page to the site, over HTTP/2 and TLS 1.3', async (t) => {
    trustCa(home, download)
    const { page } = await open(t)
    assert.match(await trustTest(page), /^Trusted/)
    await page.goto(await verdict('/warned', 'news.example'))
    await clickProceed(page.getByRole('link', { name: 'Proceed anyway' }))
    await page.waitForURL(destination('news.example'))
    assert.equal(await page.title(), 'Reached')
    const { protocol, tls } = chain.terminator.requests().find(({ path }) => path === '/warned') ?? {}
    assert.deepEqual([protocol, tls], ['HTTP/2.0', 'TLSv1.3'])

    // The page sends the code with fetch, also through the terminator.
    await page.goto(await verdict('/aup', 'video.example'))
    await page.locator('input').first().pressSequentially('274913')
    await clickProceed(page.getByRole('button', { name: 'Unlock' }))
    await page.waitForURL(destination('video.example'))
    assert.equal(await page.title(), 'Reached')
  })
})
