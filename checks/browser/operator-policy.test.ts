// The operator's policy in a real browser: hostile Markdown stays harmless, and a long text is easy to read and to
// accept: by touch, by keyboard, with a screen reader, on paper and without script.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { AxeResults } from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { VerdictClaims } from '../../src/contract/verdict.ts'
import { PALETTES } from '../../src/portal/settings/brand.ts'
import { startRelay } from '../../test/portal/acknowledgement/relay.ts'
import { only, parsePage, skeleton } from '../../test/portal/markup.ts'
import { launchHeadlessShell, openPage, watchInjected } from '../../test/support/browser.ts'
import { HOSTILE_MARKDOWN } from '../../test/support/hostile.ts'
import { rawResponse, respondWith } from '../../test/support/hostile-engine.ts'
import { ACK_TOKEN, claims, verdictTarget } from '../../test/support/payloads.ts'
import { policyFiles } from '../../test/support/policy-files.ts'
import { NOW, type RunningPortal, startPortal } from '../../test/support/portal.ts'
import { skipWithoutChromium } from '../../test/support/requirement.ts'

const { source: axe } = createRequire(import.meta.url)('axe-core') as { source: string }

const PHONE = { width: 360, height: 640 }
const DESKTOP = { width: 1440, height: 900 }

const SECTION = `## Use

Use it *well*, see [the notice](https://x.example/notice) or write to <it@x.example>.

- Keep \`passwords\` to yourself, [always](https://x.example/always).
  1. On any device
  2. At any time

### Logging

> Requests are logged for 30 days.

`
const LONG = `# Network rules\n\n${SECTION.repeat(6)}`

/** Hostile Markdown without the characters that a portal rejects at start; each one a paragraph, or all in a row. */
const corpus = HOSTILE_MARKDOWN.map((text) => text.replaceAll(/[[\p{Cc}\p{Noncharacter_Code_Point}]--[\t\n]]/gv, ''))
const HOSTILE: Readonly<Record<string, string>> = {
  'each by itself': `a\n\n${corpus.filter((text) => !text.includes('never ended')).join('\n\na\n\n')}`,
  'all in a row': `a\n${corpus.join('\n')}`,
}

describe('the operator’s policy in Chromium', { skip: skipWithoutChromium }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchHeadlessShell()
  })
  after(() => browser?.close())

  async function start(t: TestContext, files: Readonly<Record<string, string>>, env: Record<string, string> = {}) {
    const policy = policyFiles(t, files)
    return await startPortal(t, {
      env: {
        ENGINE_INTERNAL_URL: 'http://127.0.0.1:1',
        GATEWAY_CAPTIVE_BASE_URL: 'http://127.0.0.1',
        ...policy.env,
        ...env,
      },
    })
  }

  const address = (portal: RunningPortal, changes: Partial<VerdictClaims> = {}) =>
    portal.address + verdictTarget(claims(NOW, { kind: 'aup', ack_token: ACK_TOKEN, ...changes }))

  async function open(
    t: TestContext,
    files: Readonly<Record<string, string>>,
    options: BrowserContextOptions = {},
    changes: Partial<VerdictClaims> = {},
  ): Promise<Page> {
    const portal = await start(t, files)
    const { page } = await openPage(t, browser, { viewport: PHONE, ...options })
    await page.goto(address(portal, changes))
    return page
  }

  /** The browser's DOM, in the format of `skeleton`. */
  const skeletonInBrowser = `(function skeleton({ localName, attributes, children }) {
    // Of the guard, by its script.
    const names = Array.from(attributes, ({ name }) => name).filter((name) => name !== 'data-guarded-until')
    return '<' + [localName, ...names].join(' ') + '>' + Array.from(children, skeleton).join('') + '</' + localName + '>'
  })(document.querySelector('article'))`

  for (const [name, text] of Object.entries(HOSTILE)) {
    test(`hostile Markdown, ${name}: only the intended elements, no script, no request`, async (t) => {
      const portal = await start(t, { 'aup.md': text })
      const { page } = await openPage(t, browser)
      const injected = watchInjected(page, portal.address)
      const response = await page.goto(address(portal))
      const main = only(parsePage((await response?.text()) ?? ''), 'id', 'main')
      const [article] = main.children.filter((child) => typeof child === 'object')
      assert.ok(article?.name === 'article')
      // The browser's DOM is the page as written, but for the details: the text opens, moves or closes no element.
      const untilCopied = (text: string) => text.replace(/<dl>.*<\/pre>/, '')
      const seen = String(await page.evaluate(skeletonInBrowser))
      assert.equal(untilCopied(seen), untilCopied(skeleton(article)))
      const links = `Array.from(document.querySelectorAll('.policy > div:first-of-type a'), (a) => a.protocol)`
      const protocols = (await page.evaluate(links)) as string[]
      assert.ok(protocols.length > 10)
      for (const protocol of protocols) assert.match(protocol, /^(https?|mailto):$/)
      assert.deepEqual(injected, { dialogs: 0, outside: [] })
    })
  }

  /** @returns whether the element is in the window, with nothing in front of it */
  const isInWindow = (page: Page, selector: string) =>
    page.evaluate(`(() => {
      const element = document.querySelector('${selector}')
      const { top, bottom, left } = element.getClientRects()[0]
      const seen = document.elementFromPoint(left + 2, (top + bottom) / 2)
      return top >= 0 && bottom <= innerHeight && (element === seen || element.contains(seen))
    })()`)
  const scrollTo = (page: Page, part: number) => page.evaluate(`scrollTo(0, document.body.scrollHeight * ${part})`)

  for (const viewport of [PHONE, DESKTOP]) {
    for (const javaScriptEnabled of [true, false]) {
      const how = `${viewport.width} × ${viewport.height}${javaScriptEnabled ? '' : ', without script'}`
      test(`a long text: the accept control is visible as soon as its heading has scrolled past, ${how}`, async (t) => {
        const page = await open(t, { 'aup.md': LONG }, { viewport, javaScriptEnabled })
        assert.ok(await isInWindow(page, 'h1'))
        assert.ok(await isInWindow(page, '.url strong'))
        assert.equal(await isInWindow(page, 'a.primary'), false)
        const below = async (pixels: number) => {
          await page.evaluate(
            `scrollBy(0, document.querySelector('.policy h2').getBoundingClientRect().top - ${pixels})`,
          )
          return await isInWindow(page, 'a.primary')
        }
        assert.equal(await below(viewport === PHONE ? 0 : 400), false, 'over the beginning of the text')
        assert.equal(await below(viewport === PHONE ? -100 : 200), true)
        // Nothing but the button is in front of the text.
        assert.equal(await page.evaluate(`document.querySelector('.proceed').innerText`), 'I acknowledge and continue')
        for (const part of [0.2, 0.4, 0.6]) {
          await scrollTo(page, part)
          assert.ok(await isInWindow(page, 'a.primary'), `${part}`)
        }
        // The page itself scrolls: no inner region that touch and keys would have to find.
        const scrollers = `Array.from(document.querySelectorAll('main *')).filter((element) =>
          /auto|scroll/.test(getComputedStyle(element).overflowY)).length`
        assert.equal(await page.evaluate(scrollers), 0)
        await scrollTo(page, 1)
        assert.ok(await isInWindow(page, 'dl'))
      })
    }
  }

  test('a focused link in the text is not behind the accept control', async (t) => {
    for (const viewport of [PHONE, DESKTOP]) {
      const page = await open(t, { 'aup.md': LONG }, { viewport })
      let links = 0
      for (let presses = 0; presses < 30; presses++) {
        await page.keyboard.press('Tab')
        const isLink = await page.evaluate(
          `document.activeElement.rel === 'noopener noreferrer' && !document.activeElement.id`,
        )
        if (!isLink) continue
        links++
        await page.evaluate(`document.activeElement.id = 'focused-${links}'`)
        assert.ok(await isInWindow(page, `#focused-${links}`), `link ${links}`)
      }
      assert.equal(links, 18)
    }
  })

  test('a short text has the accept control below it, and nothing sticky', async (t) => {
    const page = await open(t, { 'aup.md': '# Network rules\n\nUse it well.\n' })
    const positions = `Array.from(new Set(Array.from(document.querySelectorAll('main *'), (element) =>
      getComputedStyle(element).position)))`
    assert.deepEqual(await page.evaluate(positions), ['static'])
    assert.equal(await page.locator('a.primary').count(), 1)
  })

  const position = `getComputedStyle(document.querySelector('.proceed')).position`

  test('in a low window, and on paper, the accept control follows the text', async (t) => {
    const page = await open(t, { 'aup.md': LONG }, { viewport: { width: 640, height: 360 } })
    assert.equal(await page.evaluate(position), 'static')
    await page.setViewportSize(DESKTOP)
    assert.equal(await page.evaluate(position), 'sticky')
    await page.emulateMedia({ media: 'print' })
    assert.equal(await page.evaluate(position), 'static')
  })

  test('a code field is too large to stick: a link leads to it, except on paper', async (t) => {
    const page = await open(t, { 'aup.md': LONG }, {}, { override: { type: 'pin' } })
    await scrollTo(page, 0.4)
    assert.ok(await isInWindow(page, '.proceed a'))
    assert.equal(await isInWindow(page, '#enter'), false)
    await page.click('.proceed a')
    for (const selector of ['#accept', '[inputmode]', '#enter']) assert.ok(await isInWindow(page, selector), selector)
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate(`document.activeElement.inputMode`), 'numeric')
    await page.emulateMedia({ media: 'print' })
    assert.equal(await page.locator('.proceed a').isVisible(), false)
  })

  test('during a lockout nothing leads to the field or says that it accepts', async (t) => {
    const { env } = policyFiles(t, { 'aup.md': LONG })
    const behaviour = respondWith(rawResponse('429 Too Many Requests', ['Retry-After: 2']))
    const { portal } = await startRelay(t, behaviour, { env: { GATEWAY_CAPTIVE_BASE_URL: 'http://127.0.0.1', ...env } })
    const { page, allow } = await openPage(t, browser)
    allow(/status of 429/)
    await page.goto(address(portal, { override: { type: 'passphrase' } }))
    const shown = [page.getByText('By unlocking the page'), page.locator('.proceed a'), page.locator('#passphrase')]
    const areShown = () => Promise.all(shown.map((part) => part.isVisible()))
    assert.deepEqual(await areShown(), [true, true, true])
    await page.fill('#passphrase', 'wrong')
    await page.press('#passphrase', 'Enter')
    await page.locator('#message .clock').waitFor()
    assert.deepEqual(await areShown(), [false, false, false])
    await page.locator('#passphrase').waitFor()
    assert.deepEqual(await areShown(), [true, true, true])
  })

  test('without script the link to the field leads to the notice that it needs script', async (t) => {
    const override = { type: 'passphrase' } as const
    const page = await open(t, { 'aup.md': LONG }, { javaScriptEnabled: false }, { override })
    await scrollTo(page, 0.4)
    await page.click('.proceed a')
    assert.ok(await isInWindow(page, 'noscript .alert'))
  })

  for (const palette of PALETTES) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`axe-core finds nothing, in ${palette}, ${colorScheme}`, async (t) => {
        const text = `${LONG}\n[](https://x.example/)`
        const portal = await start(t, { 'aup.md': text }, { GATEWAY_CAPTIVE_BRAND_PALETTE: palette })
        const { page } = await openPage(t, browser, { colorScheme, locale: 'de-CH' })
        const changes: Partial<VerdictClaims> = colorScheme === 'light' ? {} : { override: { type: 'passphrase' } }
        await page.goto(address(portal, changes))
        await page.evaluate(axe)
        const { violations } = (await page.evaluate('axe.run()')) as AxeResults
        assert.deepEqual(
          violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`)),
          [],
        )
      })
    }
  }
})
