// A page's language, and how visitors change it.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { VERDICT_PATH, type VerdictKind } from '../../../src/contract/verdict.ts'
import type { OutcomeName } from '../../../src/portal/outcome/outcomes.ts'
import type { Locale } from '../../../src/settings/sections/locales.ts'
import { catalogue, DEFAULT_LOCALES } from '../../support/catalogue.ts'
import { ACK_TOKEN, claims, verdictQuery, verdictTarget } from '../../support/payloads.ts'
import { NOW, type RunningPortal, startPortal } from '../../support/portal.ts'
import { cookieSet, exchange } from '../exchange.ts'
import { elements, parsePage, textOf } from '../markup.ts'

const portal = await startPortal({ after })

const KINDS = Object.keys(VERDICT_PATH) as VerdictKind[]
const query = verdictQuery(claims(NOW))
const OUTCOME_TARGETS = {
  malformed: [400, '/blocked?p=abc'],
  wrongVersion: [400, `/blocked?p=A&v=2&ts=${NOW}`],
  invalid: [403, `/warned?p=A&v=1&ts=${NOW}`],
  expired: [403, verdictTarget(claims(NOW - 301))],
  notFound: [404, '/nowhere?p=abc'],
  tooLong: [414, `/blocked?p=${'A'.repeat(7500)}`],
} as const satisfies Partial<Record<OutcomeName, readonly [status: number, target: string]>>

/** The languages in the page's menu, with their addresses. */
function switchOf(body: string): Record<string, string | undefined> {
  const links = elements(parsePage(body), 'a').filter(({ attributes }) => attributes.href?.includes('/locale?'))
  return Object.fromEntries(links.map(({ attributes }) => [attributes.lang, attributes.href]))
}

/** The page's language, which must be the same wherever it is declared. */
async function languageOf(from: RunningPortal, target: string, headers: Record<string, string> = {}) {
  const response = await exchange(from, target, headers)
  assert.equal(response.headers.get('vary'), 'Accept-Language, Cookie, Sec-Fetch-Dest')
  const page = parsePage(response.body)
  assert.equal(page.attributes.lang, response.headers.get('content-language'))
  return page.attributes.lang
}

describe('the language of a page', () => {
  test("is the browser's preferred one, on every kind of page", async () => {
    const verdicts = KINDS.map((kind) => verdictTarget(claims(NOW, { kind })))
    const targets = [...verdicts, verdictTarget(claims(NOW - 301)), '/privacy', '/blocked', '/nowhere', '/locale']
    for (const locale of DEFAULT_LOCALES) {
      for (const target of targets) {
        assert.equal(await languageOf(portal, target, { 'Accept-Language': `${locale}-CH, en;q=0.5` }), locale, target)
      }
    }
  })

  test("is the operator's default otherwise", async (t) => {
    const french = await startPortal(t, { env: { GATEWAY_CAPTIVE_LOCALE: 'fr' } })
    for (const header of ['es', '*', '', 'x'.repeat(15_000), 'de;q=0']) {
      assert.equal(await languageOf(french, '/privacy', { 'Accept-Language': header }), 'fr', header.slice(0, 20))
    }
    assert.equal(await languageOf(french, '/privacy'), 'fr')
  })

  test('is one that the operator offers', async (t) => {
    const env = { GATEWAY_CAPTIVE_LOCALE: 'it', GATEWAY_CAPTIVE_SUPPORTED_LOCALES: 'de,it' }
    const fewer = await startPortal(t, { env })
    assert.equal(await languageOf(fewer, '/privacy', { 'Accept-Language': 'en, fr;q=0.9, de;q=0.1' }), 'de')
    assert.equal(await languageOf(fewer, '/privacy', { 'Accept-Language': 'en, fr' }), 'it')
    assert.deepEqual(Object.keys(switchOf((await exchange(fewer, '/privacy')).body)), ['de'])
    assert.equal((await exchange(fewer, '/locale?set=fr&page=privacy')).status, 400)
    assert.equal(await languageOf(fewer, '/privacy?lang=fr'), 'it')
  })

  test('is not a choice if only one is offered', async (t) => {
    const env = { GATEWAY_CAPTIVE_LOCALE: 'de', GATEWAY_CAPTIVE_SUPPORTED_LOCALES: 'de' }
    const german = await startPortal(t, { env })
    for (const target of [`/blocked?${query}`, '/privacy']) {
      const { body } = await exchange(german, target)
      assert.deepEqual(switchOf(body), {})
      assert.doesNotMatch(body, /href="\/locale/)
    }
  })
})

describe('the language menu', () => {
  const pages = [
    ...KINDS.map((kind) => verdictTarget(claims(NOW, { kind, ...(kind !== 'block' && { ack_token: ACK_TOKEN }) }))),
    '/privacy',
  ]
  for (const target of pages) {
    const [path, parameters] = target.split('?')
    test(`${path}: every language, without script, back to the same page`, async () => {
      const first = await exchange(portal, target)
      // The page's own language is not a link.
      assert.deepEqual(Object.keys(switchOf(first.body)), ['fr', 'de', 'it'])
      let cookie = cookieSet(first)
      for (const locale of DEFAULT_LOCALES) {
        const suffix = parameters === undefined ? '' : `&${parameters}`
        const link = `/locale?set=${locale}&page=${path?.slice(1)}${suffix}`
        const response = await exchange(portal, link, { Cookie: cookie, 'Accept-Language': 'en' })
        assert.deepEqual(
          { status: response.status, location: response.headers.get('location'), body: response.body },
          { status: 303, location: target, body: '' },
        )
        cookie = cookieSet(response)
        assert.equal(await languageOf(portal, target, { Cookie: cookie, 'Accept-Language': 'en' }), locale)
        // The choice applies to all pages.
        assert.equal(await languageOf(portal, '/nowhere', { Cookie: cookie }), locale)
        const { body } = await exchange(portal, target, { Cookie: cookie })
        const others = DEFAULT_LOCALES.filter((other) => other !== locale)
        const links = others.map((other) => [other, `/locale?set=${other}&page=${path?.slice(1)}${suffix}`])
        assert.deepEqual(switchOf(body), Object.fromEntries(links))
      }
    })
  }

  test('keeps the three parameters unchanged, in their order, without opening the payload', async () => {
    for (const p of ['A', '%2F%2Fevil.example', '%0d%0aSet-Cookie:%20a=b']) {
      const { status, headers } = await exchange(portal, `/locale?set=de&page=warned&ts=${NOW}&p=${p}&v=1`)
      assert.deepEqual([status, headers.get('location')], [303, `/warned?p=${p}&v=1&ts=${NOW}`])
      assert.match(headers.get('set-cookie') ?? '', /^__Host-gateway-captive=[^\n]+$/)
    }
  })

  // The pages of the outcomes have no address of their own, and contain no part of the request.
  for (const name of Object.keys(OUTCOME_TARGETS) as (keyof typeof OUTCOME_TARGETS)[]) {
    const [status, target] = OUTCOME_TARGETS[name]
    test(`on the page of the outcome ${name}: the same page in each language, and the choice is kept`, async () => {
      const first = await exchange(portal, target)
      assert.equal(first.status, status)
      const links = switchOf(first.body)
      assert.deepEqual(Object.keys(links), ['fr', 'de', 'it'])
      for (const [locale, link] of Object.entries(links)) {
        const changed = await exchange(portal, link ?? '', { 'Accept-Language': 'en' })
        const { title } = catalogue[locale as Locale].outcome[name]
        assert.equal(changed.status, status)
        assert.equal(textOf(elements(parsePage(changed.body), 'h1')[0] ?? assert.fail()), title)
        assert.equal(await languageOf(portal, link ?? '', { 'Accept-Language': 'en' }), locale)
        assert.equal(await languageOf(portal, '/nowhere', { Cookie: cookieSet(changed) }), locale)
        // And on from there.
        const next = Object.values(switchOf(changed.body)).map((href) => href?.replace(/set=../, ''))
        assert.deepEqual(next, Array(3).fill(link?.replace(/set=../, '')))
      }
    })
  }

  test('responds to HEAD as to GET', async () => {
    const { status, headers } = await exchange(portal, '/locale?set=de&page=privacy', {}, 'HEAD')
    assert.deepEqual([status, headers.get('location')], [303, '/privacy'])
  })

  test('is not changed by a prefetch', async () => {
    for (const sent of [{ 'Sec-Purpose': 'prefetch;prerender' }, { Purpose: 'prefetch' }]) {
      const { status, headers, body } = await exchange(portal, '/locale?set=de&page=privacy', sent)
      assert.deepEqual([status, body], [503, ''])
      assert.equal(headers.get('set-cookie') ?? headers.get('location'), undefined)
    }
  })
})

test('a change that is not exactly one of the links is refused, without a cookie', async () => {
  for (const text of [
    '',
    'set=de',
    'page=privacy',
    'set=&page=privacy',
    'set=DE&page=privacy',
    'set=de-CH&page=privacy',
    'set=constructor&page=privacy',
    'set=de&page=',
    'set=de&page=healthz',
    'set=de&page=api/captive/ack',
    'set=de&page=//evil.example',
    'set=de&page=https://evil.example',
    'set=de&page=privacy&return=https://evil.example',
    'set=de&page=privacy#x',
    `set=de&page=privacy&${query}`,
    'page=privacy&set=de',
    'set=de&set=fr&page=privacy',
    'set=de&page=privacy&page=aup',
    'set=de&page=blocked',
    // Their pages have no language menu.
    'set=de&page=internal',
    'set=de&page=lockedOut',
    'set=de&page=constructor',
    `set=de&page=expired&${query}`,
    'set=xx&page=expired',
    `set=de&page=blocked&${query}&x=1`,
    `set=de&page=blocked&p=A&v=2&ts=${NOW}`,
    `set=de&page=blocked/..//evil.example&${query}`,
  ]) {
    const { status, headers } = await exchange(portal, `/locale?${text}`)
    assert.equal(status, 400, text)
    assert.equal(headers.get('set-cookie') ?? headers.get('location'), undefined)
  }
})

test('the privacy notice has an address in each language, which overrides cookie and browser, once', async () => {
  const cookie = cookieSet(await exchange(portal, '/locale?set=fr&page=privacy'))
  const headers = { Cookie: cookie, 'Accept-Language': 'it' }
  for (const locale of DEFAULT_LOCALES) {
    assert.equal(await languageOf(portal, `/privacy?lang=${locale}`, headers), locale)
    assert.equal((await exchange(portal, `/privacy?lang=${locale}`, headers)).headers.get('set-cookie'), undefined)
  }
  assert.equal(await languageOf(portal, '/privacy', headers), 'fr')
  // Anything else is not its own, nor is a slash at the end.
  for (const text of ['lang=', 'lang=xx', 'utm_source=x', 'Lang=de', 'lang=de-CH', 'lang', '&']) {
    assert.equal(await languageOf(portal, `/privacy/?${text}`, headers), 'fr', text)
  }
  for (const text of ['lang=de&lang=it', 'lang=de&x=1', 'fbclid=1&lang=de']) {
    assert.equal(await languageOf(portal, `/privacy?${text}`, headers), 'de', text)
  }
  assert.equal((await exchange(portal, '/privacy//')).status, 404)
})
