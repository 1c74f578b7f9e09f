// A real browser at the real chain: it refuses the portal until it trusts the published CA, and then goes the whole way.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { policy } from '../engine/running-engine.ts'
import { launchChromium, openPage } from '../support/browser.ts'
import { skipWithoutCertutil, skipWithoutChromium } from '../support/requirement.ts'
import { skipWithoutNginx } from '../support/terminator.ts'
import { startChain } from './chain.ts'

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
    return (await openPage(t, browser)).page
  }

  function trustCa(): void {
    const store = join(home, '.pki', 'nssdb')
    mkdirSync(store, { recursive: true })
    const certutil = (...args: string[]) => execFileSync('certutil', ['-d', `sql:${store}`, ...args])
    certutil('-N', '--empty-password')
    certutil('-A', '-n', 'Interception CA', '-t', 'C,,', '-i', chain.caFile)
  }

  test('without the CA: no page', async (t) => {
    const page = await open(t)
    await assert.rejects(page.goto(`${origin}/privacy`), /ERR_CERT_AUTHORITY_INVALID/)
  })

  test('with the CA in its store: from the page to the site, over HTTP/2 and TLS 1.3', async (t) => {
    trustCa()
    const page = await open(t)
    await page.goto(await verdict('/warned', 'news.example'))
    await page.getByRole('link', { name: 'Proceed anyway' }).click()
    await page.waitForURL(destination('news.example'))
    assert.equal(await page.title(), 'Reached')
    const { protocol, tls } = chain.terminator.requests()[0] ?? {}
    assert.deepEqual([protocol, tls], ['HTTP/2.0', 'TLSv1.3'])

    // The code travels by fetch, which goes through the terminator as well.
    await page.goto(await verdict('/aup', 'video.example'))
    await page.locator('input').first().pressSequentially('274913')
    await page.getByRole('button', { name: 'Unlock' }).click()
    await page.waitForURL(destination('video.example'))
    assert.equal(await page.title(), 'Reached')
  })
})
