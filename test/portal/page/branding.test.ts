// Whose pages these are: operator, product, publisher and palette.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { catalogue, DEFAULT_LOCALES } from '../../support/catalogue.ts'
import { ACK_TOKEN, claims, verdictTarget } from '../../support/payloads.ts'
import { NOW, type RunningPortal, startPortal } from '../../support/portal.ts'
import { exchange } from '../exchange.ts'
import { type Element, elements, parsePage, textOf } from '../markup.ts'

const portal = await startPortal({ after })

async function pageOf(from: RunningPortal, target: string, headers: Record<string, string> = {}): Promise<Element> {
  return parsePage((await exchange(from, target, headers)).body)
}

const everyPage = [
  verdictTarget(claims(NOW)),
  verdictTarget(claims(NOW, { kind: 'warn', ack_token: ACK_TOKEN })),
  verdictTarget(claims(NOW, { kind: 'aup' })),
  verdictTarget(claims(NOW - 301)),
  '/privacy',
  '/nowhere',
]

/** The paragraph of the privacy notice's section 5. */
async function sectionFive(from: RunningPortal, locale: string): Promise<Element> {
  const page = await pageOf(from, '/privacy', { 'Accept-Language': locale })
  const children = elements(page, 'article').flatMap((article) => article.children)
  const inside = children.filter((child) => typeof child === 'object')
  const heading = inside.findIndex((child) => child.name === 'h2' && textOf(child).startsWith('5'))
  assert.notEqual(heading, -1)
  return inside.slice(heading).find(({ name }) => name === 'p') ?? assert.fail()
}

describe("the operator, in the notice's section 5", () => {
  const company = { GATEWAY_CAPTIVE_BRAND_COMPANY: 'Muster <AG>', BRAND_COMPANY_URL: 'https://muster.example/?a&b' }
  const cases: readonly [name: string, env: Record<string, string>, operator: string | undefined, link?: string][] = [
    ['the organisation first, as plain text', { ...company, GATEWAY_ORG_NAME: 'Stadt <b>Muster' }, 'Stadt <b>Muster'],
    ['then the brand company, with its link', company, 'Muster <AG>', 'https://muster.example/?a&b'],
    ['a brand company without an address', { GATEWAY_CAPTIVE_BRAND_COMPANY: 'Muster AG' }, 'Muster AG'],
    ['the literal where there is no brand company', { ...company, GATEWAY_CAPTIVE_BRAND_COMPANY: '' }, undefined],
  ]
  for (const [name, env, operator, link] of cases) {
    test(name, async (t) => {
      const branded = await startPortal(t, { env })
      for (const locale of DEFAULT_LOCALES) {
        const section = await sectionFive(branded, locale)
        const expected = operator ?? catalogue[locale].operator.fallback
        assert.ok(textOf(section).includes(expected), `${locale}: ${textOf(section)}`)
        assert.deepEqual(
          elements(section, 'a').map((one) => [one.attributes.href, textOf(one)]),
          link === undefined ? [] : [[link, operator]],
        )
      }
    })
  }
})

test('the footer always names the publisher, in the clock’s year', async (t) => {
  const env = { GATEWAY_ORG_NAME: 'A', GATEWAY_CAPTIVE_BRAND_COMPANY: 'B', GATEWAY_CAPTIVE_BRAND_PRODUCT: 'C' }
  const branded = await startPortal(t, { env })
  const assertNamed = async (target: string, locale: string, year: number) => {
    const [footer] = elements(await pageOf(branded, target, { 'Accept-Language': locale }), 'footer')
    const copyright = elements(footer as Element, 'p').find(({ attributes }) => attributes.lang === 'en')
    assert.equal(copyright && textOf(copyright), `Copyright © ${year} Gateway Project. All rights reserved.`)
  }
  for (const target of everyPage) {
    for (const locale of DEFAULT_LOCALES) await assertNamed(target, locale, 2027)
  }
  branded.setTime(Date.UTC(2031, 11, 31, 23, 59, 59) / 1000)
  await assertNamed('/privacy', 'en', 2031)
})

test('the product is in the topbar and in every title', async (t) => {
  const product = 'Wächter </title> & "Söhne"'
  const branded = await startPortal(t, { env: { GATEWAY_CAPTIVE_BRAND_PRODUCT: product } })
  for (const target of everyPage) {
    const page = await pageOf(branded, target)
    const [title] = elements(page, 'title')
    assert.ok(title && textOf(title).endsWith(` – ${product}`))
    const [topbar] = elements(page, 'header')
    assert.ok(topbar && textOf(topbar).includes(product))
  }
})

test('every footer has the contact link if an address is configured', async (t) => {
  const labels = DEFAULT_LOCALES.map((locale) => catalogue[locale].footer.support)
  const contacts = async (from: RunningPortal, target: string, locale: string) =>
    elements(await pageOf(from, target, { 'Accept-Language': locale }), 'a')
      .filter((link) => labels.includes(textOf(link)))
      .map((link) => [link.attributes.href, textOf(link)])
  for (const url of [
    'https://help.example/?a=1&b=2',
    'mailto:help@school.example?subject=Portal',
    'tel:+41441234567',
  ]) {
    const helped = await startPortal(t, { env: { GATEWAY_CAPTIVE_SUPPORT_URL: url } })
    for (const target of everyPage) {
      for (const locale of DEFAULT_LOCALES) {
        assert.deepEqual(await contacts(helped, target, locale), [[url, catalogue[locale].footer.support]])
      }
    }
  }
  for (const target of everyPage) assert.deepEqual(await contacts(portal, target, 'en'), [])
})

test('the logo is an image in the topbar of every page, next to the name, and browsers keep it', async (t) => {
  const file = fileURLToPath(new URL('../../../demo/logo.svg', import.meta.url))
  const name = 'Schule "Muster" <b>'
  const branded = await startPortal(t, { env: { GATEWAY_CAPTIVE_BRAND_LOGO: file, GATEWAY_ORG_NAME: name } })
  const unnamed = await startPortal(t, { env: { GATEWAY_CAPTIVE_BRAND_LOGO: file } })
  const images = (page: Element) => elements(page, 'img').map(({ attributes }) => attributes)
  for (const target of everyPage) {
    const page = await pageOf(branded, target)
    const [image, ...more] = images(page)
    assert.deepEqual([image?.alt, more], ['', []])
    const { status, body, headers } = await exchange(branded, image?.src ?? '')
    assert.deepEqual([status, body], [200, readFileSync(file, 'utf8')])
    assert.equal(headers.get('content-type'), 'image/svg+xml')
    assert.match(headers.get('cache-control') ?? '', /immutable/)
    assert.match(headers.get('content-security-policy') ?? '', /sandbox/)
    const [first] = elements(page, 'header')[0]?.children.filter((child) => typeof child === 'object') ?? []
    assert.equal(first?.name, 'img')
    assert.deepEqual(images(await pageOf(unnamed, target)), [image])
    assert.deepEqual(images(await pageOf(portal, target)), [])
  }
  assert.equal((await exchange(portal, '/logo?x')).status, 404)
})

describe('palettes', () => {
  const stylesOf = (page: Element) =>
    elements(page, 'style').map(({ attributes, children }) => ({ media: attributes.media, text: children.join('') }))
  const faces = (page: Element) => elements(page, 'p').filter((one) => textOf(one) === ':(').length

  test('three, each light and dark; dark by the system’s preference, and only on screens', async (t) => {
    const grounds = new Set<string>()
    for (const palette of ['indigo', 'amber', 'bsod']) {
      const coloured = await startPortal(t, { env: { GATEWAY_CAPTIVE_BRAND_PALETTE: palette } })
      const [light, dark, ...more] = stylesOf(await pageOf(coloured, '/privacy'))
      assert.ok(light && dark && more.length === 0)
      assert.match(light.text, /^:root\{color-scheme:light;--a:/)
      // They differ only in colours: layout tests of one flavour apply to the other.
      assert.match(dark.text, /^:root\{color-scheme:dark(?:;--[a-z-]+:#[0-9a-f]{3,6})+\}$/)
      assert.deepEqual([light.media, dark.media], [undefined, 'screen and (prefers-color-scheme:dark)'])
      for (const { text } of [light, dark]) grounds.add(/--a:(#[0-9a-f]+)/.exec(text)?.[1] ?? '')
    }
    assert.equal(grounds.size, 6)
  })

  test('bsod shows its face on every verdict page and only there, and no other palette does', async (t) => {
    const blue = await startPortal(t, { env: { BRAND_PALETTE: 'bsod' } })
    for (const target of everyPage.slice(0, 3)) {
      assert.equal(faces(await pageOf(blue, target)), 1)
      assert.equal(faces(await pageOf(portal, target)), 0)
    }
    for (const target of everyPage.slice(3)) assert.equal(faces(await pageOf(blue, target)), 0)
  })
})
