// The pages by keyboard alone: the order of Tab stops, a visible focus, and what the keys do.
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Engine, RunningEngine } from '../../../test/support/browser.ts'
import { type RunningPreview, startPreview } from '../../../test/support/preview.ts'

const TOPBAR = ['Skip to content', 'Language: English', 'Dark mode']
const FOOTER = ['Privacy notice', 'Why did I see a certificate error?', 'Contact support']
const digits = (length: number) => Array.from({ length }, (_, index) => `Digit ${index + 1} of ${length}`)

/** Tab stops inside `main`, by page state. */
const STOPS: Readonly<Record<string, readonly string[]>> = {
  blocked: ['Gateway Project', 'Go back', 'Report a mistake', 'Copy details'],
  warned: ['Go back', 'Proceed anyway', 'Copy details'],
  'warned-terminal': ['Gateway Project', 'Go back', 'Ask for access', 'Copy details'],
  'warned-pin': [...digits(6), 'Unlock', 'Copy details'],
  'warned-passphrase': ['Passphrase', 'Show', 'Unlock', 'Copy details'],
  aup: ['I acknowledge and continue', 'Copy details'],
  privacy: ['Gateway Project'],
  'outcome-lockedOut': ['Gateway Project', 'https://help.example/', 'Open the page again'],
}
/** Pages that cannot be reloaded in another language. */
const WITHOUT_LANGUAGES = /^outcome/

/** The name of the focused element, and how its focus is shown. */
interface Focus {
  readonly name: string
  readonly style: string
  readonly width: number
  /** Contrast between the outline and its surroundings. */
  readonly contrast: number
  /** Whether its centre is on the screen, with nothing in front. */
  readonly isInSight: boolean
}

const FOCUS = `(() => {
  const element = document.activeElement
  const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element)
  const behind = (one) => {
    const colour = getComputedStyle(one).backgroundColor
    return /^rgba\\(.* 0\\)$|^transparent$/.test(colour) && one.parentElement ? behind(one.parentElement) : colour
  }
  const luminance = (colour) => {
    const [red, green, blue] = colour.match(/[0-9.]+/g).map((text) => {
      const part = text / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [darker, lighter] = [outlineColor, behind(element.parentElement)].map(luminance).sort((one, other) => one - other)
  // The first rectangle of a wrapped element.
  const [{ left, right, top, bottom }] = element.getClientRects()
  const inFront = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
  return {
    name: element.getAttribute('aria-label') ?? element.labels?.[0]?.innerText ?? element.innerText,
    style: outlineStyle,
    width: parseFloat(outlineWidth),
    contrast: (lighter + 0.05) / (darker + 0.05),
    isInSight: element.contains(inFront),
  }
})()`

/** In the page: whether the veil at the bottom of the element is over a part of its text. */
const VEILED = `(() => {
  const { position, height, visibility } = getComputedStyle(one, '::after')
  if (position !== 'sticky' || visibility !== 'visible') return undefined
  const { bottom } = one.getBoundingClientRect()
  const range = document.createRange()
  range.selectNodeContents(one)
  return [...range.getClientRects()].some((line) => line.top < bottom && line.bottom > bottom - parseFloat(height) + 2)
})()`

const focus = async (page: Page) => (await page.evaluate(FOCUS)) as Focus

export function testKeyboard(_engine: Engine, browser: () => RunningEngine): void {
  describe('by keyboard', () => {
    let preview: RunningPreview
    before(async () => {
      preview = await startPreview({
        GATEWAY_ORG_NAME: '',
        GATEWAY_CAPTIVE_SUPPORT_URL: 'https://help.example/',
        BRAND_COMPANY_URL: 'https://operator.example/',
      })
    })
    after(async () => {
      await preview?.close()
    })

    async function open(t: TestContext, name: string): Promise<Page> {
      const { page, allow } = await browser().openPage(t)
      allow(/Failed to load resource: the server responded with a status of (403|429)/)
      await page.goto(preview.page(name))
      return page
    }

    test('Tab goes through topbar, page and footer, and one sees where it is', async (t) => {
      // Without a page before it, there is no way back.
      const page = await open(t, 'privacy')
      for (const [name, stops] of Object.entries(STOPS)) {
        await page.goto(preview.page(name))
        const topbar = TOPBAR.filter((stop) => !(WITHOUT_LANGUAGES.test(name) && stop.startsWith('Language')))
        const expected = [...topbar, ...stops, ...FOOTER]
        const met: string[] = []
        for (const stop of expected) {
          await page.keyboard.press('Tab')
          const now = await focus(page)
          met.push(now.name)
          assert.equal(now.style, 'solid', `${name}: ${stop}`)
          assert.ok(now.width >= 2 && now.contrast >= 3, `${name}: ${JSON.stringify(now)}`)
          assert.ok(now.isInSight, `${name}: ${stop} is out of sight`)
        }
        assert.deepEqual(met, expected, name)
        await page.keyboard.press('Shift+Tab')
        assert.equal((await focus(page)).name, expected.at(-2))
      }
    })

    test('a long address and a long reason fade only where more follows, and the ring of the focus is whole', async (t) => {
      const page = await open(t, 'blocked-hostile')
      const onEach = (script: string) =>
        page.evaluate(`Array.from(document.querySelectorAll('[tabindex="0"]'), (one) => ${script})`)
      assert.deepEqual(await onEach(VEILED), [true, true])
      for (const name of ['Requested address', 'This page is blocked']) {
        while ((await focus(page)).name !== name) await page.keyboard.press('Tab')
        const { style, width, contrast } = await focus(page)
        assert.ok(style === 'solid' && width >= 2 && contrast >= 3, name)
        // It would hide a part of the ring.
        assert.deepEqual(await onEach('getComputedStyle(one).webkitMaskImage'), ['none', 'none'], name)
      }
      await onEach('one.scrollTo(0, one.scrollHeight)')
      assert.deepEqual(await onEach(VEILED), [false, false], 'at the end')
      await onEach('one.scrollTo(0, 0)')
      assert.deepEqual(await onEach(VEILED), [true, true])
      await onEach(`one.textContent = 'one two '.repeat(9)`)
      assert.deepEqual(await onEach(VEILED), [false, false], 'two lines need not scroll')
    })

    test('the first Tab stop skips the topbar', async (t) => {
      const page = await open(t, 'aup')
      await page.keyboard.press('Tab')
      assert.ok((await focus(page)).isInSight)
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      assert.equal((await focus(page)).name, 'I acknowledge and continue')
      await page.keyboard.press('Enter')
      await page.waitForURL(/preview\/accepted$/)
    })

    test('the language menu opens, closes on leaving and on Escape, and changes the language', async (t) => {
      const page = await open(t, 'warned')
      const isOpen = () => page.evaluate('document.querySelector("details").open')
      await page.focus('header summary')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      assert.equal((await focus(page)).name, 'Français')
      assert.ok((await focus(page)).isInSight)
      await page.keyboard.press('Escape')
      assert.equal((await focus(page)).name, 'Language: English')
      assert.equal(await isOpen(), false)

      await page.keyboard.press('Space')
      for (const name of ['Français', 'Deutsch', 'Italiano']) {
        await page.keyboard.press('Tab')
        assert.equal((await focus(page)).name, name)
        assert.equal(await isOpen(), true)
      }
      await page.keyboard.press('Tab')
      assert.equal((await focus(page)).name, 'Dark mode')
      assert.equal(await isOpen(), false)

      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.locator('html[lang=de]').waitFor()
      assert.equal(page.url(), preview.page('warned'))
    })

    test('Enter and Space switch between light and dark', async (t) => {
      const page = await open(t, 'privacy')
      await page.focus('#theme')
      const isPressed = () => page.locator('#theme').getAttribute('aria-pressed')
      assert.equal(await isPressed(), 'false')
      await page.keyboard.press('Enter')
      assert.equal(await isPressed(), 'true')
      await page.keyboard.press('Space')
      assert.equal(await isPressed(), 'false')
    })

    test('a PIN is typed, corrected and sent', async (t) => {
      const page = await open(t, 'warned-pin')
      await page.focus('[inputmode]')
      await page.keyboard.type('123457')
      assert.equal((await focus(page)).name, 'Digit 6 of 6')
      await page.keyboard.press('ArrowLeft')
      assert.equal((await focus(page)).name, 'Digit 5 of 6')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.type('6')
      await page.keyboard.press('Tab')
      assert.equal((await focus(page)).name, 'Unlock')
      await assertReached(page, () => page.keyboard.press('Space'))
    })

    test('a passphrase is shown and hidden, and the focus stays in the field', async (t) => {
      const page = await open(t, 'warned-passphrase')
      await page.focus('#passphrase')
      await page.keyboard.type('open sesam')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      assert.equal((await focus(page)).name, 'Passphrase')
      assert.equal(await page.locator('#show').innerText(), 'Hide')
      await page.keyboard.press('End')
      await page.keyboard.type('e')
      assert.equal(await page.inputValue('#passphrase'), 'open sesame')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Space')
      assert.equal(
        await page.evaluate(`getComputedStyle(document.querySelector('#passphrase')).webkitTextSecurity`),
        'disc',
      )
      assert.equal(await page.locator('#show').innerText(), 'Show')
      await assertReached(page, () => page.keyboard.press('Enter'))
    })
  })
}

/** The destination is a sample: nothing responds there. */
async function assertReached(page: Page, press: () => Promise<void>): Promise<void> {
  const asked = page.waitForRequest('https://fresh-news.example/today?id=7')
  await press()
  await asked
}
