// Whose pages these are: operator, product, publisher and palette.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { catalogue } from '../../../src/portal/page/i18n/catalogue.ts'
import { LOCALES } from '../../../src/settings/sections/locales.ts'
import { ACK_TOKEN, claims, verdictTarget } from '../../support/payloads.ts'
import { NOW, type RunningPortal, startPortal } from '../../support/portal.ts'
import { exchange } from '../exchange.ts'
import { attributesOf, type Element, elements, parsePage, textOf } from '../markup.ts'

const portal = await startPortal(undefined)
after(() => portal.close())

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

describe("the operator, in the notice's section 5", () => {
  const company = { GATEWAY_CAPTIVE_BRAND_COMPANY: 'Muster <AG>', BRAND_COMPANY_URL: 'https://muster.example/?a&b' }
  const sectionFive = async (from: RunningPortal, locale: string) => {
    const page = await pageOf(from, '/privacy', { 'Accept-Language': locale })
    const headings = elements(page, 'h2').map(textOf)
    assert.ok(headings.length >= 5)
    const fifth = headings.findIndex((heading) => heading.startsWith('5'))
    assert.notEqual(fifth, -1)
    const [article] = elements(page, 'article')
    assert.ok(article)
    const from5 = article.children.findIndex((child) => typeof child === 'object' && textOf(child) === headings[fifth])
    return article.children
      .slice(from5)
      .find((child): child is Element => typeof child === 'object' && child.name === 'p')
  }
  const cases: readonly [name: string, env: Record<string, string>, operator: string | undefined, link?: string][] = [
    ['the organisation first, as plain text', { ...company, GATEWAY_ORG_NAME: 'Stadt <b>Muster' }, 'Stadt <b>Muster'],
    ['then the brand company, with its link', company, 'Muster <AG>', 'https://muster.example/?a&b'],
    [
      'an empty organisation is none',
      { ...company, GATEWAY_ORG_NAME: '' },
      'Muster <AG>',
      'https://muster.example/?a&b',
    ],
    ['a brand company without an address', { GATEWAY_CAPTIVE_BRAND_COMPANY: 'Muster AG' }, 'Muster AG'],
    [
      'the default brand company, paired with an address',
      { BRAND_COMPANY_URL: 'https://muster.example/' },
      'Gateway Project',
      'https://muster.example/',
    ],
    ['the literal where nothing is set', {}, undefined],
    ['the literal where there is no brand company', { GATEWAY_CAPTIVE_BRAND_COMPANY: '' }, undefined],
    ['even with its address', { ...company, GATEWAY_CAPTIVE_BRAND_COMPANY: '' }, undefined],
  ]
  for (const [name, env, operator, link] of cases) {
    test(name, async (t) => {
      const branded = await startPortal(t, { env })
      for (const locale of LOCALES) {
        const section = await sectionFive(branded, locale)
        assert.ok(section)
        const expected = operator ?? catalogue[locale].operator.fallback
        assert.ok(textOf(section).includes(expected), `${locale}: ${textOf(section)}`)
        const links = elements(section, 'a')
        assert.deepEqual(
          links.map((one) => [one.attributes.href, textOf(one)]),
          link === undefined ? [] : [[link, operator]],
        )
      }
      const english = await sectionFive(branded, 'en')
      const wanted = `contacting ${operator ?? 'your network administrator'}, the operator of this gateway`
      assert.ok(english && textOf(english).includes(wanted))
    })
  }
})

test('the footer always names the publisher', async (t) => {
  const env = { GATEWAY_ORG_NAME: 'A', GATEWAY_CAPTIVE_BRAND_COMPANY: 'B', GATEWAY_CAPTIVE_BRAND_PRODUCT: 'C' }
  const branded = await startPortal(t, { env })
  for (const from of [portal, branded]) {
    for (const target of everyPage) {
      for (const locale of LOCALES) {
        const [footer] = elements(await pageOf(from, target, { 'Accept-Language': locale }), 'footer')
        const copyright = elements(footer as Element, 'p').find(({ attributes }) => attributes.lang === 'en')
        assert.equal(copyright && textOf(copyright), 'Copyright © 2027 Gateway Project. All rights reserved.')
      }
    }
  }
})

test('the year is the clock’s', async () => {
  portal.setTime(Date.UTC(2031, 11, 31, 23, 59, 59) / 1000)
  assert.match(textOf(await pageOf(portal, '/privacy')), /Copyright © 2031 /)
  portal.setTime(NOW)
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
  const labels = LOCALES.map((locale) => catalogue[locale].footer.support)
  const contacts = async (from: RunningPortal, target: string, locale: string) =>
    elements(await pageOf(from, target, { 'Accept-Language': locale }), 'a').filter((link) =>
      labels.includes(textOf(link)),
    )
  for (const url of [
    'https://help.example/?a=1&b=2',
    'http://help.example/',
    'mailto:help@school.example?subject=Portal',
    'tel:+41441234567',
  ]) {
    const helped = await startPortal(t, { env: { GATEWAY_CAPTIVE_SUPPORT_URL: url } })
    for (const target of everyPage) {
      for (const locale of LOCALES) {
        const found = await contacts(helped, target, locale)
        assert.deepEqual(
          found.map((link) => [link.attributes.href, textOf(link)]),
          [[url, catalogue[locale].footer.support]],
        )
      }
    }
  }
  for (const target of everyPage) assert.deepEqual(await contacts(portal, target, 'en'), [])
})

describe('the logo', () => {
  const file = fileURLToPath(new URL('../../../demo/logo.svg', import.meta.url))
  const data = `data:image/svg+xml;base64,${readFileSync(file, 'base64')}`

  test('is an image in the topbar of every page, named after the operator', async (t) => {
    const name = 'Schule "Muster" <b>'
    const branded = await startPortal(t, { env: { GATEWAY_CAPTIVE_BRAND_LOGO: file, GATEWAY_ORG_NAME: name } })
    const unnamed = await startPortal(t, { env: { GATEWAY_CAPTIVE_BRAND_LOGO: file } })
    for (const target of everyPage) {
      for (const [from, alt] of [
        [branded, name],
        [unnamed, ''],
      ] as const) {
        const page = await pageOf(from, target)
        assert.deepEqual(
          elements(page, 'img').map(({ attributes }) => attributes),
          [{ src: data, alt }],
        )
        const [topbar] = elements(page, 'header')
        const [first] = topbar?.children.filter((child) => typeof child === 'object') ?? []
        assert.equal(first?.name, 'img')
      }
      assert.deepEqual(elements(await pageOf(portal, target), 'img'), [])
    }
  })

  test('is on a white plate, in every palette', async (t) => {
    for (const palette of ['indigo', 'bsod']) {
      const env = { GATEWAY_CAPTIVE_BRAND_LOGO: file, GATEWAY_CAPTIVE_BRAND_PALETTE: palette }
      const [style] = elements(await pageOf(await startPortal(t, { env }), '/privacy'), 'style')
      assert.match(style?.children.join('') ?? '', /header img\{[^}]*background:#fff;color:#000/)
    }
    const [style] = elements(await pageOf(portal, '/privacy'), 'style')
    assert.doesNotMatch(style?.children.join('') ?? '', /header img/)
  })
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

  test('an unknown one is indigo, silently, and the long name wins', async (t) => {
    const unknown = await startPortal(t, { env: { GATEWAY_CAPTIVE_BRAND_PALETTE: 'mauve' } })
    const short = await startPortal(t, { env: { BRAND_PALETTE: 'bsod', GATEWAY_CAPTIVE_BRAND_PALETTE: 'indigo' } })
    const indigo = stylesOf(await pageOf(portal, '/privacy'))
    for (const from of [unknown, short]) assert.deepEqual(stylesOf(await pageOf(from, '/privacy')), indigo)
    assert.doesNotMatch(unknown.logText(), /palette|mauve/i)
  })

  test('bsod shows its face on every verdict page and only there, and no other palette does', async (t) => {
    const blue = await startPortal(t, { env: { BRAND_PALETTE: 'bsod' } })
    for (const target of everyPage.slice(0, 3)) {
      assert.equal(faces(await pageOf(blue, target)), 1)
      assert.equal(faces(await pageOf(portal, target)), 0)
    }
    for (const target of everyPage.slice(3)) assert.equal(faces(await pageOf(blue, target)), 0)
  })

  test('every page offers light and dark, before the first paint and without a flash', async () => {
    for (const target of everyPage) {
      const page = await pageOf(portal, target)
      const [head] = elements(page, 'head')
      assert.ok(head)
      assert.equal(elements(head, 'style').length, 2)
      assert.match(elements(head, 'script')[0]?.children.join('') ?? '', /localStorage/)
      // Hidden without script.
      assert.ok(
        attributesOf(page).some(
          ({ element, name, value }) => element === 'button' && name === 'id' && value === 'theme',
        ),
      )
    }
  })
})
