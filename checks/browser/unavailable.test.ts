// While the portal is stopped or restarting, the terminator serves its own page for every path.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import packageJson from '#package' with { type: 'json' }
import { buildHeaders } from '../../src/portal/http/response-headers.ts'
import { PUBLISHER } from '../../src/portal/settings/brand.ts'
import { startPublishing } from '../../test/engine/publishing.ts'
import { launchHeadlessShell, openPage } from '../../test/support/browser.ts'
import type { Cleanup } from '../../test/support/cleanup.ts'
import { freePort } from '../../test/support/free-port.ts'
import { startPortal } from '../../test/support/portal.ts'
import { filledUnavailablePage } from '../../test/support/proxy-pages.ts'
import { skipWithoutChromium } from '../../test/support/requirement.ts'
import { skipWithoutNginx, startTerminator } from '../../test/support/terminator.ts'
import { until } from '../../test/support/until.ts'
import { exchangeBytes, send, sendHttp2 } from '../../test/terminator/client.ts'

const { source: axe } = createRequire(import.meta.url)('axe-core') as { source: string }
const { version, releaseType } = packageJson
const PAGE = filledUnavailablePage('')
const ACK = '/api/captive/ack?p=zqpayload&v=1&ts=1800000000'
const SENTENCES = {
  en: 'This page is briefly unavailable. If it stays that way, tell the people who run this network.',
  fr: 'Cette page est momentanément indisponible. Si le problème persiste, prévenez le responsable de ce réseau.',
  de: 'Diese Seite ist kurz nicht erreichbar. Wenn das so bleibt, wenden Sie sich an den Betreiber dieses Netzwerks.',
  it: 'Questa pagina non è al momento disponibile. Se il problema persiste, avvisare chi gestisce questa rete.',
}

describe('the portal is unavailable', { skip: skipWithoutNginx }, async () => {
  const { folder, read, publish } = await startPublishing({ after })
  await publish({ portalHost: 'localhost' })
  const ca = await read('ca/ca.crt')

  async function startWithout(t: Cleanup) {
    const portalPort = await freePort()
    const terminator = await startTerminator(t, { portal: `127.0.0.1:${portalPort}`, leaf: `${folder}/terminator` })
    const plain = `http://localhost:${terminator.httpPort}`
    const https = `https://localhost:${terminator.httpsPort}`
    return { portalPort, terminator, plain, https }
  }
  /** For tests that start no portal. */
  const away = await startWithout({ after })

  test('503 and the page, for every path, method and protocol', async (t) => {
    const { plain, https, terminator } = await startWithout(t)
    for (const path of [
      '/',
      '/blocked?p=zqpayload',
      ACK,
      '/ca.crt',
      '/healthz',
      '/terminator/unavailable.html',
      '/%2e',
    ]) {
      for (const origin of [plain, https]) {
        const { status, body } = await send(origin, path, { ca })
        assert.deepEqual({ status, body }, { status: 503, body: PAGE }, path)
      }
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      assert.equal((await send(https, '/', { ca, method })).status, 503, method)
    }
    assert.deepEqual(await send(https, '/', { ca, method: 'HEAD' }).then(({ status, body }) => [status, body]), [
      503,
      '',
    ])
    assert.equal((await sendHttp2(https, ca, { ':path': ACK })).body, PAGE)
    assert.match(
      await exchangeBytes(terminator.httpsPort, 'GET / HTTP/1.0\r\n\r\n'),
      /^HTTP\/1\.1 503 [\s\S]*<\/html>\n$/,
    )
    assert.equal((await send(https, '/', { ca, headers: { range: 'bytes=0-9' } })).status, 503)
    await until(() =>
      /connect\(\) failed \(111: Connection refused\) while connecting to upstream\n/.test(terminator.logText()),
    )
    assert.doesNotMatch(terminator.logText(), /zqpayload|client:/)
  })

  test('its headers are those of the portal’s pages, with the hashes of its own style and script', async () => {
    const { plain, https } = away
    const hashes = (element: string) =>
      Array.from(PAGE.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs')), ([, text = '']) => {
        return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
      })
    const { page } = buildHeaders({
      versionLabel: `${version}-${releaseType}`,
      secure: true,
      styleSource: hashes('style').join(),
      noticeStyleSource: '',
      scriptSources: hashes('script'),
      certificatePageSources: { styles: [], scripts: [] },
      baseUrl: https,
    })
    const { vary: _, ...ofPortal } = page
    // It has no logo.
    const policy = `${ofPortal['content-security-policy']}`.replace("img-src 'self' data:", 'img-src data:')
    const expected = { ...ofPortal, 'content-security-policy': policy }
    const { headers } = await send(https, ACK, { ca })
    const { date, connection, 'content-length': __, 'keep-alive': ___, ...own } = headers
    assert.deepEqual(own, { ...expected, server: 'nginx', 'retry-after': '5' })
    assert.equal((await send(plain, '/')).headers['cross-origin-opener-policy'], undefined)
  })

  test('the portal’s version and the copyright line, as on every page of the portal', async (t) => {
    const { body } = await send(away.https, '/', { ca })
    assert.match(body, new RegExp(`<head>[^]*<meta name="portal-version" content="${version}">[^]*</head>`))
    const line = `<p>Copyright © ${new Date().getUTCFullYear()} ${PUBLISHER}. All rights reserved.</p>`
    assert.ok(body.includes(`<footer lang="en">\n${line}\n</footer>`), body)
    for (const [type, label] of [
      ['', version],
      ['GA', `${version}-GA`],
    ] as const) {
      const { httpsPort } = await startTerminator(t, {
        ...{ portal: `127.0.0.1:${await freePort()}`, leaf: `${folder}/terminator` },
        settings: { GATEWAY_CAPTIVE_RELEASE_TYPE: type },
      })
      const { headers } = await send(`https://localhost:${httpsPort}`, '/', { ca })
      assert.equal(headers['x-portal-version'], label)
    }
  })

  test('the names of operator and product, as text only, and the palette', async (t) => {
    const name = `<b>&"${'$'}{OPERATOR}${'$'}{LEAF}%H`
    const { httpsPort } = await startTerminator(t, {
      ...{ portal: `127.0.0.1:${await freePort()}`, leaf: `${folder}/terminator` },
      settings: { GATEWAY_ORG_NAME: name, GATEWAY_CAPTIVE_BRAND_PRODUCT: name, GATEWAY_CAPTIVE_BRAND_PALETTE: 'amber' },
    })
    const { body } = await send(`https://localhost:${httpsPort}`, '/', { ca })
    const shown = '<bdi>&lt;b&gt;&amp;&quot;&#36;{OPERATOR}&#36;{LEAF}%H</bdi>'
    assert.ok(body.includes(`<header>${shown}<small>${shown}</small></header>`), body)
    assert.match(body, /<html lang="en" class="amber">/)
  })

  test('without an organisation, the brand company is the operator', async (t) => {
    const { httpsPort } = await startTerminator(t, {
      ...{ portal: `127.0.0.1:${await freePort()}`, leaf: `${folder}/terminator` },
      settings: { GATEWAY_ORG_NAME: '', GATEWAY_CAPTIVE_BRAND_COMPANY: 'Muster AG' },
    })
    const { body } = await send(`https://localhost:${httpsPort}`, '/', { ca })
    assert.ok(body.includes('<header><bdi>Muster AG</bdi>'), body)
  })

  test('the portal’s own 502, 503 and 504 are forwarded unchanged', async (t) => {
    const server = createServer(({ url = '' }, response) => {
      response.writeHead(Number(url.slice(1)), { 'content-type': 'text/plain' }).end('from the portal')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => {
      server.close()
      server.closeAllConnections()
    })
    const { port } = server.address() as { port: number }
    const terminator = await startTerminator(t, { portal: `127.0.0.1:${port}`, leaf: `${folder}/terminator` })
    for (const status of [400, 404, 413, 414, 429, 431, 500, 502, 503, 504]) {
      const answered = await send(`https://localhost:${terminator.httpsPort}`, `/${status}`, { ca })
      assert.deepEqual(
        [answered.status, answered.body, answered.headers.server],
        [status, 'from the portal', undefined],
      )
    }
  })

  describe('in a browser', { skip: skipWithoutChromium, concurrency: 3 }, () => {
    let browser: Browser
    before(async () => {
      browser = await launchHeadlessShell()
    })
    after(() => browser?.close())

    async function open(t: TestContext, options: Parameters<typeof openPage>[2] = {}, start = async () => away) {
      // Before the terminator, so that it closes first and polls no more.
      const { page, allow } = await openPage(t, browser, { ignoreHTTPSErrors: true, ...options })
      // The portal responds with 400 to a verdict address without its parameters, and has no page at `/`.
      allow(/status of (503|400|404)/)
      const { portalPort, https, plain } = await start()
      const requested: string[] = []
      page.on('request', (request) => requested.push(`${request.method()} ${new URL(request.url()).pathname}`))
      return { portalPort, https, plain, page, requested }
    }
    const startIt = (t: TestContext, port: number, baseUrl: string) =>
      startPortal(t, {
        env: {
          GATEWAY_CAPTIVE_LISTEN_PORT: `${port}`,
          GATEWAY_CAPTIVE_BASE_URL: baseUrl,
          GATEWAY_CAPTIVE_TRUSTED_PROXIES: '127.0.0.1',
        },
      })
    const spoken = (page: Page) => page.locator('section:visible').evaluateAll((all) => all.map(({ lang }) => lang))

    test('the visitor’s language, and others in English', async (t) => {
      for (const [locale, lang] of [
        ...Object.keys(SENTENCES).map((lang) => [lang, lang]),
        ['de-CH', 'de'],
        ['es', 'en'],
      ]) {
        const { page, https } = await open(t, { locale: `${locale}` })
        await page.goto(`${https}/blocked`)
        assert.deepEqual(await spoken(page), [lang])
        assert.equal(await page.locator('html').getAttribute('lang'), lang)
        assert.ok(await page.getByText(SENTENCES[lang as keyof typeof SENTENCES]).isVisible())
      }
    })

    test('without script: all four languages', async (t) => {
      const { page, https } = await open(t, { javaScriptEnabled: false })
      await page.goto(`${https}/blocked`)
      assert.deepEqual(await spoken(page), ['en', 'fr', 'de', 'it'])
      for (const sentence of Object.values(SENTENCES)) assert.ok(await page.getByText(sentence).isVisible())
    })

    for (const scheme of ['https', 'plain'] as const) {
      test(`over ${scheme}: it announces that the portal is back, and sends nothing again by itself`, async (t) => {
        const { page, requested, portalPort, ...origins } = await open(t, { locale: 'de' }, () => startWithout(t))
        await page.goto(`${origins[scheme]}/blocked?p=zqpayload`)
        const status = page.getByRole('status')
        assert.equal(await status.textContent(), '')
        assert.equal(await status.evaluate((element) => element.clientHeight), 0)
        await until(() => requested.includes('HEAD /'))
        await startIt(t, portalPort, origins.https)
        await until(async () => (await status.textContent()) !== '', 20)
        assert.equal(await status.textContent(), 'Die Seite ist wieder erreichbar.')
        assert.deepEqual(new Set(requested), new Set(['GET /blocked', 'HEAD /']))
        assert.equal(requested.filter((one) => one === 'GET /blocked').length, 1)
        if (scheme === 'plain') return
        await page.getByRole('link', { name: 'Erneut versuchen' }).click()
        await until(() => requested.filter((one) => one === 'GET /blocked').length === 2)
      })
    }

    test('trying again keeps the fragment', async (t) => {
      const { page, https, requested } = await open(t)
      await page.goto(`${https}/blocked?p=zqpayload#/inbox/42`)
      await page.getByRole('link', { name: 'Try again' }).click()
      await until(() => requested.filter((one) => one === 'GET /blocked').length === 2)
      await page.waitForURL(`${https}/blocked?p=zqpayload#/inbox/42`)
    })

    test('an acknowledgement is sent again by the visitor only', async (t) => {
      const { page, https, requested } = await open(t)
      await page.goto(https + ACK)
      const acknowledgements = () => requested.filter((one) => one.startsWith('GET /api/')).length
      await until(() => requested.includes('HEAD /'))
      assert.equal(acknowledgements(), 1)
      await page.getByRole('link', { name: 'Try again' }).click()
      await until(() => acknowledgements() === 2)
    })

    for (const colorScheme of ['light', 'dark'] as const) {
      test(`accessible, in ${colorScheme}, at 320 pixels`, async (t) => {
        const { page, https } = await open(t, { colorScheme, viewport: { width: 320, height: 640 } })
        await page.goto(`${https}/blocked`)
        await page.evaluate(axe)
        const violations = await page.evaluate('axe.run().then((found) => found.violations.map(({ id }) => id))')
        assert.deepEqual(violations, [])
        assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
      })
    }
  })
})
