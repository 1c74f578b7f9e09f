// Pages of most layouts in a browser: axe-core finds nothing, and nothing breaks on a narrow screen, at 400 % zoom and with more
// space between letters, in the language with the longest words. `npm run check -- accessibility` and `npm run check -- reflow`
// have every state in every palette and language.
//
// A language changes text and a palette changes colours; the markup is the same, as the first test proves, except for
// the face of one palette. The colours are those of test/html/palettes.test.ts.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { PALETTES } from '../../src/portal/settings/brand.ts'
import { LOCALES } from '../../src/settings/sections/locales.ts'
import { type Element, parsePage } from '../portal/markup.ts'
import { assertAccessible } from '../support/axe.ts'
import { launchHeadlessShell, openPage } from '../support/browser.ts'
import { DEFAULT_LOCALES } from '../support/catalogue.ts'
import { BRIEF, startPreview } from '../support/preview.ts'
import { assertReflows } from '../support/reflow.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

/** Elements with their classes and names, without words. `lang` is where the words are in another language than the page. */
function markup({ name, attributes, children }: Element): string {
  const { class: kind, lang: _, ...others } = attributes
  const isFigure = kind === 'face' || kind?.startsWith('sign')
  if (isFigure) return '<figure>'
  const inside = children.map((child) => (typeof child === 'string' ? '' : markup(child))).join('')
  return `<${name} ${kind} ${attributes.id} ${Object.keys(others)}>${inside}</>`
}

test('a state has the same markup in every language and palette', async (t) => {
  const known = new Map<string, string>()
  for (const palette of PALETTES) {
    const preview = await startPreview({ GATEWAY_CAPTIVE_BRAND_PALETTE: palette }, t)
    for (const { name, target } of preview.states) {
      // Every language in one palette, and one in the others.
      for (const locale of palette === PALETTES[0] ? DEFAULT_LOCALES : DEFAULT_LOCALES.slice(0, 1)) {
        const headers = { 'accept-language': locale, connection: 'close' }
        const page = markup(parsePage(await (await fetch(preview.address + target, { headers })).text()))
        assert.equal(page, known.get(name) ?? page, `${name}, ${palette}, ${locale}`)
        known.set(name, page)
      }
    }
  }
})

/** In the page: the units of an element's text that are on more than one line. */
const FIND_BROKEN_UNITS = `(selector, unit) => {
  const broken = []
  const walker = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const text = walker.currentNode
    for (const { 0: found, index } of text.data.matchAll(unit)) {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + found.length)
      const lines = Array.from(range.getClientRects(), ({ top }) => Math.round(top))
      if (new Set(lines).size > 1) broken.push(found)
    }
  }
  return broken
}`

/** In the page: how many lines an element's text has. */
const COUNT_LINES = `(selector) => {
  const range = document.createRange()
  range.selectNodeContents(document.querySelector(selector))
  return new Set(Array.from(range.getClientRects(), ({ top }) => top)).size
}`

describe('in Chromium', { skip: skipWithoutChromium, concurrency: 2 }, async () => {
  const browser = await launchHeadlessShell({ after })

  for (const [palette, states] of [
    ['indigo', BRIEF],
    // The page with a face.
    ['bsod', ['blocked']],
  ] as const) {
    test(`${palette}: axe-core finds nothing`, (t) => assertAccessible(t, browser, { palette, locale: 'en', states }))

    test(`${palette}: pages hold`, (t) => assertReflows(t, browser, { palette, locale: 'de', states }))
  }

  test('both ways out of a warning are on the first screen of a phone, in every language', async (t) => {
    const preview = await startPreview({ GATEWAY_CAPTIVE_SUPPORTED_LOCALES: LOCALES.join(',') }, t)
    const below: string[] = []
    for (const locale of LOCALES) {
      const { page } = await openPage(t, browser, { viewport: { width: 375, height: 667 }, locale })
      await page.goto(preview.page('warned'))
      const { y = Infinity, height = 0 } = (await page.locator('.choice a').boundingBox()) ?? {}
      if (y + height > 640) below.push(`${locale}: ${y + height}`)
    }
    assert.deepEqual(below, [])
  })

  test('at 200 % text size on a phone, no word is broken, and the page keeps three quarters of the screen', async (t) => {
    const preview = await startPreview({}, t)
    const { page, allow } = await openPage(t, browser, { viewport: { width: 375, height: 812 }, locale: 'en' })
    allow(/Failed to load resource: the server responded with a status of 403/)
    for (const state of ['blocked', 'warned-terminal', 'warned-pin', 'outcome-expired']) {
      await page.goto(preview.page(state))
      await page.evaluate("document.documentElement.style.fontSize = '200%'")
      // An address is no word.
      for (const part of ['.brand', 'article', 'footer']) {
        const words = `(${FIND_BROKEN_UNITS})('${part}', /(?<!\\S)[A-Za-z]+(?!\\S)/g)`
        assert.deepEqual(await page.evaluate(words), [], `${state}, ${part}`)
      }
      const { height = Infinity } = (await page.locator('header').boundingBox()) ?? {}
      assert.ok(height <= 812 / 4, `${state}: ${height}`)
    }
  })

  test('a wrong code moves nothing on a phone, although its message takes two lines', async (t) => {
    const preview = await startPreview({}, t)
    const { page, allow } = await openPage(t, browser, { viewport: { width: 375, height: 812 }, locale: 'fr' })
    allow(/Failed to load resource: the server responded with a status of 403/)
    for (const state of ['warned-pin', 'warned-passphrase']) {
      await page.goto(preview.page(state))
      const positions = () =>
        page.evaluate(
          "['input', '#enter', 'h2'].map((part) => document.querySelector(part).getBoundingClientRect().top + scrollY)",
        )
      const before = await positions()
      await page.locator('input').first().focus()
      await page.keyboard.type('000000')
      await page.keyboard.press('Enter')
      await page.locator('#message:not(:empty)').waitFor()
      assert.deepEqual(await positions(), before, state)
      assert.equal(await page.evaluate(`(${COUNT_LINES})('#message')`), 2, state)
    }
  })

  test('a long operator’s name takes two lines on a phone, and as many as it needs with larger text', async (t) => {
    const GATEWAY_ORG_NAME = 'Kantonale Berufsfachschule für Gesundheit, Soziales, Technik und Gestaltung Musterhausen'
    const preview = await startPreview({ GATEWAY_ORG_NAME }, t)
    const { page } = await openPage(t, browser, { viewport: { width: 375, height: 812 }, locale: 'en' })
    await page.goto(preview.page('blocked'))
    const lines = () =>
      page.evaluate(
        "{ const name = document.querySelector('.brand bdi'); name.offsetHeight / Number.parseFloat(getComputedStyle(name).lineHeight) }",
      )
    assert.equal(Math.round(Number(await lines())), 2)
    // A browser zooms its pages, or has a larger text size: then a phone is fewer `rem` wide.
    await page.setViewportSize({ width: 320, height: 812 })
    assert.ok(Number(await lines()) > 2)
  })

  test('at 200 % text size on 320 pixels, no word of a button and no byte of a fingerprint is broken', async (t) => {
    const preview = await startPreview({}, t)
    const { page } = await openPage(t, browser, { viewport: { width: 320, height: 720 }, locale: 'en' })
    for (const [state, selector, unit] of [
      ['warned-terminal', '.choice .button', '\\S+'],
      ['aup', 'article .primary', '\\S+'],
      ['certificate', '#sha256', '\\w\\w:?'],
    ] as const) {
      await page.goto(preview.page(state))
      await page.evaluate("document.documentElement.style.fontSize = '200%'")
      assert.deepEqual(await page.evaluate(`(${FIND_BROKEN_UNITS})('${selector}', /${unit}/g)`), [])
    }
  })
})
