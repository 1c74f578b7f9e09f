// The certificate page, for devices that do not trust the CA yet and for all others.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { fingerprint, type MadeCertificate, makeCertificate } from '../../support/certificates.ts'
import { NOW } from '../../support/portal.ts'
import { skipWithoutOpenssl } from '../../support/requirement.ts'
import { cookieSet, exchange } from '../exchange.ts'
import { attributesOf, type Element, elements, only, parsePage, textOf } from '../markup.ts'
import { DAY, OVER_HTTP, type PublishingPortal, startPublishing, YEAR } from './published-ca.ts'

const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const ANDROID = 'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP2A.240805; wv) AppleWebKit/537.36 (KHTML, like Gecko)'
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const AGENTS = {
  iphone: `${IPHONE} Version/18.5 Mobile/15E148 Safari/604.1`,
  iphoneChrome: `${IPHONE} CriOS/140.0.0.0 Mobile/15E148 Safari/604.1`,
  iphoneSheet: `${IPHONE} Mobile/15E148`,
  ipad: 'Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) AppleWebKit/605.1.15 Version/12.1 Mobile/15E148 Safari/604.1',
  android: 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36',
  androidFirefox: 'Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0',
  androidSheet: `${ANDROID} Version/4.0 Chrome/126.0 Mobile Safari/537.36`,
  mac: `${MAC} Version/18.5 Safari/605.1.15`,
  macFirefox: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0',
  macSheet: MAC,
  windows: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
  linux: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  fedora: 'Mozilla/5.0 (X11; Fedora; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  chromebook: 'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
  curl: 'curl/8.9.1',
  hostile: '<script>alert(1)</script>'.repeat(200),
}
const SYSTEMS = ['ios', 'android', 'windows', 'macos', 'debian', 'rhel']

describe('the certificate page', { skip: skipWithoutOpenssl }, () => {
  let ca: MadeCertificate
  before(() => {
    ca = makeCertificate(YEAR)
  })

  async function pageOf(
    { portal }: PublishingPortal,
    headers: Record<string, string> = {},
    query = '',
  ): Promise<Element> {
    const { status, body } = await exchange(portal, `/ca${query}`, headers)
    assert.equal(status, 200)
    return parsePage(body)
  }
  const listed = (page: Element) =>
    elements(only(page, 'id', 'systems'), 'details').map(({ attributes }) => ({
      system: attributes.id,
      isOpen: attributes.open !== undefined,
    }))
  const alerts = (page: Element) =>
    [...elements(page, 'p'), ...elements(page, 'div')]
      .filter(({ attributes }) => attributes.class === 'alert')
      .map(textOf)
  const links = (page: Element) => elements(page, 'a').map(({ attributes }) => attributes.href as string)

  test('shows the same as OpenSSL, grouped visually and complete as text', async (t) => {
    const page = await pageOf(await startPublishing(t, ca.certificate + ca.key))
    for (const digest of ['sha256', 'sha1'] as const) {
      const shown = only(page, 'id', digest)
      assert.equal(textOf(shown), fingerprint(ca.certificate, digest, 'pem'))
      const [pair, group] = elements(shown, 'span').map(textOf) as [string, string]
      assert.deepEqual([pair.length, group], [24, pair.slice(0, 12)])
    }
    const details = elements(page, 'dl').flatMap((list) => elements(list, 'dd').map(textOf))
    assert.equal(textOf(elements(page, 'dd')[0] as Element), 'O=Northwind Institute, CN=Northwind CA')
    // The days that are left are shown when they matter.
    assert.deepEqual(details.slice(-2), ['14 January 2027', '15 January 2028'])
  })

  test('the visitor’s system is first and open, the others follow; a client hint has priority', async (t) => {
    const publishing = await startPublishing(t, ca.certificate)
    const own: readonly [agent: keyof typeof AGENTS, system?: string, second?: string | undefined, hint?: string][] = [
      ['iphone', 'ios'],
      ['iphoneChrome', 'ios'],
      ['ipad', 'ios'],
      ['android', 'android'],
      ['androidFirefox', 'android'],
      ['mac', 'macos', 'ios'],
      ['macFirefox', 'macos', 'ios'],
      ['windows', 'windows'],
      ['linux', 'debian', 'rhel'],
      ['fedora', 'rhel', 'debian'],
      ['chromebook'],
      ['curl'],
      ['hostile'],
      ['linux', 'windows', undefined, '"Windows"'],
      ['linux', 'ios', undefined, '"iOS"'],
      ['linux', 'debian', undefined, 'constructor'],
      ['linux', 'debian', undefined, '"__proto__"'],
    ]
    for (const [agent, system, second, hint] of own) {
      const headers = { 'User-Agent': AGENTS[agent], ...(hint && { 'Sec-CH-UA-Platform': hint }) }
      const list = listed(await pageOf(publishing, headers))
      const open = list.filter(({ isOpen }) => isOpen).map((one) => one.system)
      assert.deepEqual(list.map((one) => one.system).toSorted(), SYSTEMS.toSorted(), agent)
      assert.deepEqual(open, system === undefined ? [] : [system], agent)
      assert.equal(list[0]?.system, system ?? 'ios', agent)
      if (second !== undefined) assert.equal(list[1]?.system, second, agent)
    }
  })

  test('each system has its file, its steps with their date, and the command if there is one', async (t) => {
    const page = await pageOf(await startPublishing(t, ca.certificate))
    const start = fingerprint(ca.certificate, 'sha256', 'pem').replaceAll(':', '').slice(0, 8).toLowerCase()
    const file = (format: string) => `gateway-ca-${start}.${format}`
    const expected: Readonly<Record<string, readonly [file: string, command: string | undefined]>> = {
      ios: ['mobileconfig', undefined],
      android: ['crt', undefined],
      windows: ['cer', `certutil -addstore root "$HOME\\Downloads\\${file('cer')}"`],
      macos: [
        'crt',
        `sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ~/Downloads/${file('crt')}`,
      ],
      debian: [
        'crt',
        `sudo install -m 644 ${file('crt')} /usr/local/share/ca-certificates/ && sudo update-ca-certificates`,
      ],
      rhel: ['crt', `sudo cp ${file('crt')} /etc/pki/ca-trust/source/anchors/ && sudo update-ca-trust`],
    }
    for (const [system, [format, command]] of Object.entries(expected)) {
      const section = only(page, 'id', system)
      assert.deepEqual(links(section), [`/ca.${format}`])
      assert.ok(textOf(section).includes(file(format)))
      assert.ok(elements(section, 'li').length >= 2)
      assert.match(textOf(section), /Steps checked in November 2026\./)
      assert.deepEqual(elements(section, 'code').map(textOf), command === undefined ? [] : [command])
      // An empty part would hide the space next to it.
      assert.ok(elements(section, 'span').every((part) => textOf(part).trim() !== ''))
    }
  })

  test('over plain http it warns that it is not authenticated, and is not redirected', async (t) => {
    const publishing = await startPublishing(t, ca.certificate)
    const encrypted = await pageOf(publishing, { 'X-Forwarded-Proto': 'https' })
    assert.deepEqual(alerts(encrypted), [])
    const plain = await pageOf(publishing, { ...OVER_HTTP, 'User-Agent': AGENTS.iphone })
    assert.match(alerts(plain).join(), /wasn’t encrypted/)
    assert.deepEqual(links(only(plain, 'class', 'alert')), ['#fingerprints'])
    only(plain, 'id', 'fingerprints')
    // Everything it links except the privacy notice is also served over plain http.
    const followed = links(plain).filter((href) => !href.startsWith('#') && !href.startsWith('/privacy'))
    for (const href of followed) {
      if (href === 'http://portal.example/ca') continue
      assert.match(href, /^\/ca(\.(crt|cer|mobileconfig)|\?lang=(fr|de|it))?$/)
      assert.equal((await exchange(publishing.portal, href, OVER_HTTP)).status, 200, href)
    }
  })

  test('what to know before installing is between the download and the first step', async (t) => {
    const publishing = await startPublishing(t, ca.certificate)
    const orderFor = async (agent: keyof typeof AGENTS) => {
      const text = textOf(await pageOf(publishing, { ...OVER_HTTP, 'User-Agent': AGENTS[agent] }))
      const parts = ['Download certificate', 'choose “Keep”', 'Install it only on', 'compare the SHA-256']
      return [...parts, 'ownload the file'].filter((part) => text.includes(part)).toSorted(byPlaceIn(text))
    }
    const byPlaceIn = (text: string) => (one: string, other: string) => text.indexOf(one) - text.indexOf(other)
    const [download, keep, own, compare, first] = await orderFor('android')
    assert.deepEqual([download, keep, first], ['Download certificate', 'choose “Keep”', 'ownload the file'])
    assert.deepEqual(await orderFor('iphone'), [download, own, compare, first])
    // Without a system of its own, the visitor opens one below.
    assert.deepEqual(await orderFor('curl'), [keep, own, compare, download, first])
  })

  test('over plain http there is never a cookie or HSTS', async (t) => {
    const { portal } = await startPublishing(t, ca.certificate)
    const Cookie = cookieSet(await exchange(portal, '/locale?set=de&page=ca'))
    for (const target of ['/ca', '/ca/', '/ca?lang=de', '/ca.crt', '/ca.mobileconfig', '/healthz']) {
      const { headers } = await exchange(portal, target, { ...OVER_HTTP, Cookie })
      assert.equal(headers.get('set-cookie') ?? headers.get('strict-transport-security'), undefined, target)
      // Browsers log an error about it over plain http.
      assert.equal(headers.get('cross-origin-opener-policy'), undefined, target)
    }
  })

  test('its language: in the address over plain http, in the session over https', async (t) => {
    const publishing = await startPublishing(t, ca.certificate)
    const { portal } = publishing
    const languageLinks = (page: Element) =>
      links(page).filter((href) => /lang=|\/locale/.test(href) && !/privacy/.test(href))
    assert.deepEqual(languageLinks(await pageOf(publishing, OVER_HTTP)), ['/ca?lang=fr', '/ca?lang=de', '/ca?lang=it'])
    const german = await pageOf(publishing, OVER_HTTP, '?lang=de')
    assert.equal(german.attributes.lang, 'de')
    assert.deepEqual(languageLinks(german), ['/ca?lang=en', '/ca?lang=fr', '/ca?lang=it'])

    const https = { 'X-Forwarded-Proto': 'https' }
    assert.deepEqual(
      languageLinks(await pageOf(publishing, https)),
      ['fr', 'de', 'it'].map((locale) => `/locale?set=${locale}&page=ca`),
    )
    const chosen = await exchange(portal, '/locale?set=it&page=ca', https)
    assert.deepEqual([chosen.status, chosen.headers.get('location')], [303, '/ca'])
    assert.equal((await pageOf(publishing, { ...https, Cookie: cookieSet(chosen) })).attributes.lang, 'it')
    // A browser that does not store cookies.
    assert.deepEqual(languageLinks(await pageOf(publishing, https, '?lang=fr')).at(0), '/ca?lang=en')
    assert.equal((await pageOf(publishing, { ...https, 'Accept-Language': 'de' })).attributes.lang, 'de')
  })

  test('whatever else is in the query, or a slash at the end, is ignored', async (t) => {
    const { portal } = await startPublishing(t, ca.certificate)
    for (const headers of [{}, OVER_HTTP]) {
      const page = async (target: string) => {
        const { status, body } = await exchange(portal, target, headers)
        return { status, body }
      }
      for (const target of ['/ca?lang=xx', '/ca/', `/ca/?${'fbclid=A&'.repeat(400)}`]) {
        assert.deepEqual(await page(target), await page('/ca'), target)
      }
      assert.deepEqual(await page('/ca?fbclid=x&lang=de&lang=<script>'), await page('/ca?lang=de'))
      for (const path of ['/ca//', '//ca', '/CA', '/ca%2f', '/ca;x']) {
        assert.equal((await page(path)).status, headers === OVER_HTTP ? 308 : 404, path)
      }
    }
    assert.equal((await exchange(portal, '/ca', {}, 'POST')).status, 405)
  })

  test('warns in the last thirty days', async (t) => {
    const publishing = await startPublishing(t, ca.certificate)
    const expiringAfter = async (seconds: number) => {
      publishing.portal.setTime(YEAR.notAfter - seconds)
      const page = await pageOf(publishing)
      return [alerts(page).join(), textOf(elements(page, 'dd').at(-1) as Element)]
    }
    assert.deepEqual(await expiringAfter(30 * DAY + 1), ['', '31'])
    const [warning, days] = await expiringAfter(30 * DAY)
    assert.equal(days, '30')
    assert.match(warning as string, /expires on 15 January 2028 \(30 days left\)/)
    assert.match((await expiringAfter(1))[0] as string, /\(1 day left\)/)
  })

  test('the next certificate: with its date, fingerprints and files', async (t) => {
    const publishing = await startPublishing(t, ca.certificate)
    const page = await pageOf(publishing)
    assert.doesNotMatch(textOf(page), /Install this one too/)
    const next = makeCertificate({ notBefore: NOW + 20 * DAY, notAfter: NOW + 900 * DAY, subject: '/CN=Next CA' })
    await publishing.publish(next.certificate, publishing.nextPath)
    const both = await pageOf(publishing)
    assert.match(
      textOf(both),
      /Install this one too\s+From 4 February 2027, the gateway will use this certificate instead/,
    )
    assert.equal(textOf(only(both, 'id', 'next-sha256')), fingerprint(next.certificate, 'sha256', 'pem'))
    assert.equal(textOf(only(both, 'id', 'next-sha1')), fingerprint(next.certificate, 'sha1', 'pem'))
    assert.equal(textOf(only(both, 'id', 'sha256')), fingerprint(ca.certificate, 'sha256', 'pem'))
    assert.deepEqual(
      links(both).filter((href) => href.includes('which')),
      ['/ca.mobileconfig?which=next', '/ca.crt?which=next', '/ca.cer?which=next'],
    )
    publishing.portal.setTime(NOW + 21 * DAY)
    assert.match(textOf(await pageOf(publishing)), /Since 4 February 2027, the gateway has been using this certificate/)
  })

  test('in a sign-in sheet it shows a notice and the address to copy', async (t) => {
    const publishing = await startPublishing(t, ca.certificate)
    for (const [name, agent] of Object.entries(AGENTS)) {
      const page = await pageOf(publishing, { ...OVER_HTTP, 'User-Agent': agent })
      const isSheet = alerts(page).some((text) => text.includes('can’t install certificates'))
      assert.equal(isSheet, name.endsWith('Sheet'), name)
      if (isSheet) assert.equal(textOf(only(page, 'id', 'sheet-address')), 'http://portal.example/ca')
    }
    const network = await pageOf(publishing, { 'User-Agent': 'CaptiveNetworkSupport-407.40.1 wispr' })
    assert.match(alerts(network).join(), /can’t install certificates/)
  })

  test('its address over plain http comes from the configuration, never from the request', async (t) => {
    const addressWith = async (env: Record<string, string>) => {
      const publishing = await startPublishing(t, ca.certificate, env)
      const elsewhere = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', ...OVER_HTTP }
      const page = await pageOf(publishing, elsewhere)
      assert.doesNotMatch(JSON.stringify(page), /evil\.example/)
      return [textOf(only(page, 'id', 'address')), only(page, 'id', 'trust').attributes['data-origin']]
    }
    assert.deepEqual(await addressWith({}), ['http://portal.example/ca', 'https://portal.example'])
    assert.deepEqual(
      await addressWith({ GATEWAY_CAPTIVE_HTTP_PORT: '8080', GATEWAY_CAPTIVE_BASE_URL: 'https://portal.example:8443' }),
      ['http://portal.example:8080/ca', 'https://portal.example:8443'],
    )
    assert.deepEqual(await addressWith({ GATEWAY_CAPTIVE_BASE_URL: 'http://localhost:8000' }), [
      'http://localhost:8000/ca',
      'http://localhost:8000',
    ])
  })

  test('its headers: those of a page, except that it may connect to the https origin', async (t) => {
    const { portal } = await startPublishing(t, ca.certificate)
    const own = await exchange(portal, '/ca', OVER_HTTP)
    const page = await exchange(portal, '/privacy')
    const different = new Set([
      'content-security-policy',
      'vary',
      'cross-origin-opener-policy',
      'date',
      'content-length',
    ])
    const without = ({ headers }: typeof own) => [...headers].filter(([name]) => !different.has(name))
    assert.deepEqual(without(own), without(page))
    assert.equal(own.headers.get('vary'), `${page.headers.get('vary')}, User-Agent, Sec-CH-UA-Platform`)
    const policy = own.headers.get('content-security-policy')?.split('; ') ?? []
    for (const directive of [
      "connect-src 'self' https://portal.example",
      "default-src 'none'",
      "frame-ancestors 'none'",
    ]) {
      assert.ok(policy.includes(directive), directive)
    }
    for (const { name } of attributesOf(parsePage(own.body))) assert.doesNotMatch(name, /^(on.*|style|src)$/)
  })

  test('its policy allows exactly the style and the scripts of page and sheet', async (t) => {
    const { portal } = await startPublishing(t, ca.certificate, { GATEWAY_CAPTIVE_PROXY: 'proxy.school.example:3128' })
    const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    for (const name of ['style', 'script']) {
      const inlined = new Set<string>()
      let allowed: readonly string[] = []
      for (const target of ['/ca', '/ca/sheet']) {
        const { headers, body } = await exchange(portal, target)
        const policy = headers.get('content-security-policy')?.split('; ') ?? []
        allowed = policy.flatMap((one) => (one.startsWith(`${name}-src `) ? one.split(' ').slice(1) : []))
        for (const { children } of elements(parsePage(body), name)) inlined.add(hash(children.join('')))
      }
      assert.deepEqual(inlined, new Set(allowed), name)
    }
  })

  test('a hostile certificate is only text', async (t) => {
    const hostile = makeCertificate({ ...YEAR, subject: '/O=<script>alert(1)<\\/script>/CN="><img src=x>\u202e' })
    const page = await pageOf(await startPublishing(t, hostile.certificate))
    const good = await pageOf(await startPublishing(t, ca.certificate))
    assert.equal(elements(page, 'img').length, 0)
    assert.equal(elements(page, 'script').length, elements(good, 'script').length)
  })
})
