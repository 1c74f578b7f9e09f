// The pages of the proxy and of the engine: in the visitor's language, accessible, and without anything from elsewhere.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchHeadlessShell, openPage } from '../../test/support/browser.ts'
import { ENGINE_PAGES, filledProxyPage, PROXY_PAGES, readProxyPage } from '../../test/support/proxy-pages.ts'
import { skipWithoutChromium } from '../../test/support/requirement.ts'
import { until } from '../../test/support/until.ts'

const { source: axe } = createRequire(import.meta.url)('axe-core') as { source: string }
const LANGUAGES = ['en', 'fr', 'de', 'it']
const headings = (name: string) => Array.from(readProxyPage(name).matchAll(/<h1>(.*)<\/h1>/g), ([, heading]) => heading)

test('each has four languages, and loads nothing', () => {
  assert.ok(PROXY_PAGES.length > 10)
  for (const name of PROXY_PAGES) {
    assert.deepEqual(
      Array.from(readProxyPage(name).matchAll(/<section lang="(..)">/g), ([, lang]) => lang),
      LANGUAGES,
    )
    assert.equal(headings(name).length, 4)
    assert.doesNotMatch(
      filledProxyPage(name).replaceAll("xmlns='http://www.w3.org/2000/svg'", ''),
      /https?:|@import|url\(|<link(?! rel="icon" href="data:)/,
    )
    // Each code of Squid's is known; others would be shown, or filled in.
    assert.doesNotMatch(filledProxyPage(name), /%/)
  }
})

test('no browser translates the site’s name, or the code for the help desk', () => {
  for (const name of PROXY_PAGES)
    assert.doesNotMatch(readProxyPage(name), /(?<!translate="no"><bdi dir="ltr"><strong>)%H/)
  assert.match(readProxyPage('page.html'), /<footer lang="en" translate="no">\$\{DETAILS\}<\/footer>/)
})

describe('in a browser', { skip: skipWithoutChromium }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchHeadlessShell()
  })
  after(() => browser?.close())
  const shown = (opened: Page) => opened.locator('section:visible').evaluateAll((all) => all.map(({ lang }) => lang))

  test('the visitor’s language, others in English, all without script', async (t) => {
    for (const [locale, expected] of [
      ...LANGUAGES.map((lang) => [lang, lang]),
      ['de-CH', 'de'],
      ['es', 'en'],
    ] as const) {
      const { page: opened } = await openPage(t, browser, { locale: locale as string })
      await opened.setContent(filledProxyPage('cannot-decide.html'))
      assert.deepEqual(await shown(opened), [expected])
      assert.equal(await opened.locator('html').getAttribute('lang'), expected)
      assert.equal(await opened.title(), headings('cannot-decide.html')[LANGUAGES.indexOf(expected as string)])
    }
    const { page: opened } = await openPage(t, browser, { javaScriptEnabled: false })
    await opened.setContent(filledProxyPage('cannot-decide.html'))
    assert.deepEqual(await shown(opened), LANGUAGES)
  })

  test('the time in the visitor’s format, the host as it is, and a padlock where a password is needed', async (t) => {
    const { page: opened } = await openPage(t, browser, { locale: 'de-CH', timezoneId: 'Europe/Zurich' })
    await opened.setContent(filledProxyPage('not-found.html'))
    assert.equal(await opened.locator('footer').innerText(), 'Code: ERR_ICAP_FAILURE · 23. November 2026 um 09:00')
    assert.equal(await opened.locator('time').getAttribute('datetime'), '2026-11-23T08:00:00.000Z')
    assert.equal(await opened.locator('.url:visible').textContent(), 'news.example')
    const signs = () => opened.locator('.sign path').evaluateAll((all) => all.map((path) => path.checkVisibility()))
    assert.deepEqual(await signs(), [true, false])
    await opened.goto('about:blank')
    await opened.setContent(filledProxyPage('sign-in.html'))
    assert.deepEqual(await signs(), [false, true])
  })

  test('where the address itself is refused, a way back to where the visitor came from', async (t) => {
    const { page: opened } = await openPage(t, browser)
    const back = opened.getByRole('button', { name: 'Go back' })
    const site = createServer(({ url }, response) => {
      response.setHeader('content-type', 'text/html').end(url === '/' ? '<p>before' : pages[Number(url?.slice(1))])
    }).listen(0, '127.0.0.1')
    t.after(() => {
      site.close()
      site.closeAllConnections()
    })
    await once(site, 'listening')
    const pages = [filledProxyPage('denied.html'), ...Object.values(ENGINE_PAGES)]
    const start = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
    await opened.goto(start)
    for (const at of pages.keys()) {
      await opened.goto(`${start}${at}`)
      await back.click()
      await opened.waitForURL(start)
    }
    const { page: first } = await openPage(t, browser)
    await first.setContent(pages[0] as string)
    assert.equal(await first.evaluate('history.length'), 1)
    assert.equal(await first.getByRole('button').count(), 0)
  })

  test('“Try again” keeps the fragment, with and without one', async (t) => {
    const asked: string[] = []
    const site = createServer(({ url = '' }, response) => {
      asked.push(url)
      response.setHeader('content-type', 'text/html').end(filledProxyPage('no-response.html'))
    }).listen(0, '127.0.0.1')
    t.after(() => {
      site.close()
      site.closeAllConnections()
    })
    await once(site, 'listening')
    const { page: opened } = await openPage(t, browser)
    for (const [at, fragment] of ['', '#/inbox/42', '#"><img src=x>'].entries()) {
      const { href } = new URL(`http://127.0.0.1:${(site.address() as AddressInfo).port}/app?${at}${fragment}`)
      await opened.goto(href)
      await opened.getByRole('link', { name: 'Try again' }).click()
      await until(() => asked.filter((url) => url === `/app?${at}`).length === 2)
      assert.equal(opened.url(), href)
    }
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`accessible, also on a narrow screen: ${colorScheme}`, async (t) => {
      const pages = ['cannot-decide.html', 'not-found.html'].map((name) => [name, filledProxyPage(name)] as const)
      for (const [name, page] of [...pages, ...Object.entries(ENGINE_PAGES)]) {
        const { page: opened } = await openPage(t, browser, { colorScheme, viewport: { width: 320, height: 600 } })
        await opened.setContent(page)
        await opened.evaluate(axe)
        const violations = await opened.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))')
        assert.deepEqual(violations, [], name)
        assert.ok(await opened.evaluate('document.documentElement.scrollWidth <= 320'), name)
      }
    })
  }
})
