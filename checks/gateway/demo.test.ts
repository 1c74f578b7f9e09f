// `npm start -- --browse` where Squid is installed: every sample site through the proxy, and Chromium as the demo opens it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { hasSquid } from '../../demo/installed.ts'
import { EXEMPT_SITE, PROXIED_SITES, proxiedHost, type SampleSite } from '../../demo/sites.ts'
import { clickProceed } from '../../test/support/browser.ts'
import { chromiumPath, hasCommand, skipUnless, skipWithoutChromium } from '../../test/support/requirement.ts'
import { programFirst, runDemo } from '../../test/support/running-demo.ts'
import { skipWithoutNginx } from '../../test/support/terminator.ts'
import { until } from '../../test/support/until.ts'

const skip =
  skipUnless(hasSquid(), 'needs Squid with OpenSSL: apt-get install squid-openssl') ||
  skipUnless(hasCommand('curl'), 'needs curl: apt-get install curl') ||
  skipWithoutNginx ||
  skipWithoutChromium

const PAGES = {
  '/blocked': ['casino', 'weapons'],
  '/warned': ['news', 'filesharing', 'video', 'archive', 'vault'],
  '/aup': ['social', 'mail', 'lab'],
}

test('the sample sites are behind Squid, and the browser reaches them', { skip, timeout: 90_000 }, async (t) => {
  const headless = `exec ${chromiumPath} --headless --disable-gpu --remote-debugging-port=0 "$@"`
  const { text, stop } = await runDemo(t, ['--browse'], /curl --cacert/, programFirst(t, 'chromium', headless))
  const [, profile = '', pac = '', list = ''] =
    /^\S*chromium --user-data-dir=(\S+) --proxy-pac-url=(\S+) .* (http:\S+)$/m.exec(text) ?? []

  const [proxy = ''] = (await (await fetch(pac)).text()).match(/(?<=PROXY )[\d.:]+/) ?? []
  const [caFile = ''] = text.match(/(?<=--cacert )\S+/) ?? []
  for (const site of PROXIED_SITES.filter((site) => site !== EXEMPT_SITE)) {
    const [page] = Object.entries(PAGES).find(([, names]) => names.includes(site.name)) ?? []
    const { status, location } = await request(proxy, caFile, site)
    assert.equal(status, page === undefined ? '200' : '302', site.name)
    assert.equal(location === '' ? undefined : new URL(location).pathname, page, site.name)
    if (location !== '') assert.equal(new URL(location).hostname, 'localhost', site.name)
  }
  // 60: the certificate is not one of the gateway's CA.
  await assert.rejects(request(proxy, caFile, EXEMPT_SITE), { code: 60 })

  const page = await firstPage(profile)
  assert.equal(page.url(), list)
  assert.match(await issuer(page, 'weather'), /Proxy CA/)
  await page.goto(list)
  assert.equal(await issuer(page, 'bank'), 'CA of the sample sites')
  await page.goto(list)
  assert.match(await issuer(page, 'news'), /Interception CA/)
  await clickProceed(page.getByText('Proceed anyway'))
  await page.waitForURL('https://news.example/today')
  assert.equal(await page.locator('h1').innerText(), 'You have reached news.example')
  await page.getByRole('link', { name: 'Back to the list' }).click()
  assert.equal(page.url(), list)
  await stop()
  assert.ok(!existsSync(profile))
})

/** Requests a site through the proxy, trusting only the gateway's CA. */
async function request(proxy: string, caFile: string, site: SampleSite) {
  const url = `https://${proxiedHost(site)}${site.path}`
  const { stdout } = await promisify(execFile)(
    'curl',
    ['-sS', '-o', '/dev/null', '-w', '%{http_code} %{redirect_url}', '--proxy', proxy, '--cacert', caFile, url],
    { timeout: 10_000 },
  )
  const [status = '', location = ''] = stdout.split(' ')
  return { status, location }
}

/** The page with which the browser of this profile started. */
async function firstPage(profile: string): Promise<Page> {
  const file = join(profile, 'DevToolsActivePort')
  await until(() => existsSync(file) && readFileSync(file, 'utf8').includes('\n'))
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${readFileSync(file, 'utf8').split('\n')[0]}`)
  const [page] = browser.contexts()[0]?.pages() ?? []
  return page ?? assert.fail('the browser has no page')
}

/** Chooses a site from the list. @returns who issued the certificate of the page that is then shown */
async function issuer(page: Page, name: string): Promise<string> {
  const navigation = page.waitForNavigation()
  await page.getByRole('link', { name: `${name}.example` }).click()
  return (await (await navigation)?.securityDetails())?.issuer ?? ''
}
