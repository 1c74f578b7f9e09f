// What a screen reader announces: the names of the fields, and each change once, with the focus on the next control.
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { VerdictClaims } from '../../../src/contract/verdict.ts'
import { acknowledgement, type Relay, startRelay } from '../../../test/portal/acknowledgement/relay.ts'
import { CHROMIUM, type Engine, type RunningEngine, type Settings } from '../../../test/support/browser.ts'
import { problemResponse, rawResponse, respondWith } from '../../../test/support/hostile-engine.ts'
import { until } from '../../../test/support/until.ts'

const WRONG = respondWith(
  problemResponse('403 Forbidden', { type: '/problems/override-code-rejected', attempts_remaining: 2 }),
)
const LOCKED_OUT = respondWith(rawResponse('429 Too Many Requests', ['Retry-After: 2']))
const FAILED = respondWith(rawResponse('500 Internal Server Error'))
const ACCEPTED = respondWith(rawResponse('302 Found', ['Location: http://news.example/']))

const PIN = { kind: 'warn', override: { type: 'pin', length: 4 } } as const

/** Records each text of a live region with the focused element, and every text of the countdown, which is hidden. */
const LISTEN = `
  window.announced = []
  window.clock = []
  const name = (element) => element.getAttribute('aria-label') || element.innerText
  for (const region of document.querySelectorAll('[role=alert], [role=status], [role=log], [aria-live], output')) {
    const spoken = () => Array.from(region.childNodes, (node) => node.ariaHidden ? '' : node.textContent).join('').trim()
    new MutationObserver((changes) => {
      const [hidden] = region.querySelectorAll('[aria-hidden]')
      if (hidden) window.clock.push(hidden.textContent)
      if (spoken() && changes.some(({ target }) => target === region)) {
        announced.push([spoken(), name(document.activeElement)])
      }
    }).observe(region, { childList: true, characterData: true, subtree: true })
  }
`

export function testAnnouncements(engine: Engine, browser: () => RunningEngine): void {
  describe('announcements', () => {
    let relay: Relay
    before(async () => {
      relay = await startRelay(undefined, WRONG, { env: { GATEWAY_CAPTIVE_BASE_URL: 'http://127.0.0.1' } })
    })
    after(async () => {
      await relay?.close()
    })

    async function open(t: TestContext, changes: Partial<VerdictClaims>, settings?: Settings): Promise<Page> {
      const { page, allow } = await browser().openPage(t, settings)
      allow(/Failed to load resource: the server responded with a status of (403|429|502)/)
      // It goes on by itself, and further when the test says so.
      await page.clock.install()
      await page.goto(relay.portal.address + acknowledgement(changes).page)
      await page.evaluate(LISTEN)
      return page
    }

    for (const [locale, group, digit, unlock, wrong] of [
      ['en', 'PIN', 'Digit 2 of 4', 'Unlock', 'That code is incorrect. 2 attempts left.'],
      ['fr', 'Code PIN', 'Chiffre 2 sur 4', 'Déverrouiller', 'Le code est incorrect. Il vous reste 2 tentatives.'],
      ['de', 'PIN', 'Ziffer 2 von 4', 'Entsperren', 'Der Code ist falsch. Noch 2 Versuche.'],
      ['it', 'PIN', 'Cifra 2 di 4', 'Sblocca', 'Il codice non è corretto. Restano 2 tentativi.'],
    ] as const) {
      // The engines differ in the tree, not in the words.
      if (locale !== 'en' && engine !== CHROMIUM) continue
      test(`a PIN is one group of boxes, each named by its place, all in one language: ${locale}`, async (t) => {
        relay.engine.behave(WRONG)
        const page = await open(t, PIN, { locale })
        const tree = await page.locator('#unlock').ariaSnapshot()
        const boxes = ['1', '2', '3', '4'].map((place) => `  - textbox "${digit.replace('2', place)}"`)
        const field = [`- group "${group}":`, `  - text: ${group}`, ...boxes, '- alert', `- button "${unlock}"`]
        assert.ok(tree.endsWith(field.join('\n')), tree)
        await enter(page, '0000')
        await announcements(page, 1)
        assert.deepEqual((await settled(page))[0]?.[0], wrong)
      })
    }

    test('a passphrase has one name, and is in no unnamed group', async (t) => {
      const page = await open(t, { kind: 'warn', override: { type: 'passphrase', prompt: 'Word of the week' } })
      const tree = await page.locator('#unlock').ariaSnapshot()
      const field =
        '- text: Word of the week\n- textbox "Word of the week"\n- button "Show"\n- alert\n- button "Unlock"'
      assert.ok(tree.endsWith(field), tree)
    })

    test('a wrong code: announced once, after the focus has moved to the first, empty box', async (t) => {
      relay.engine.behave(WRONG)
      const page = await open(t, PIN)
      const said = ['That code is incorrect. 2 attempts left.', 'Digit 1 of 4']
      for (const times of [1, 2]) {
        await enter(page, '0000')
        await announcements(page, times)
        assert.deepEqual(await boxes(page), ['', '', '', ''])
        assert.deepEqual(await invalid(page), ['true'])
      }
      assert.deepEqual(await settled(page), [said, said])
      // It describes the boxes, once for the group.
      assert.equal(await page.locator('fieldset').getAttribute('aria-describedby'), 'message')
    })

    test('waiting: announced if it takes a moment, and only the result afterwards', async (t) => {
      let respond: (() => void) | undefined
      relay.engine.behave((...connection) => {
        respond = () => WRONG(...connection)
      })
      const page = await open(t, PIN)
      await page.clock.pauseAt(Date.now() + 10_000)
      await enter(page, '0000')
      await page.clock.runFor(200)
      assert.equal(await page.evaluate('announced.length'), 0)
      await page.clock.runFor(200)
      await until(() => page.evaluate('announced.length === 1'))
      assert.equal(await page.locator('#message').innerText(), 'Checking…')
      await until(() => respond !== undefined)
      await page.clock.resume()
      respond?.()
      await announcements(page, 1)
      await settled(page)
      assert.deepEqual(await page.evaluate('announced'), [
        ['Checking…', 'Digit 4 of 4'],
        ['That code is incorrect. 2 attempts left.', 'Digit 1 of 4'],
      ])
    })

    test('an incomplete code: announced at each press, with the focus in the first empty box', async (t) => {
      const page = await open(t, PIN)
      const said = ['Enter the complete code.', 'Digit 3 of 4']
      for (const times of [1, 2]) {
        await enter(page, times === 1 ? '00' : '')
        await announcements(page, times)
        assert.deepEqual(await invalid(page), ['true'])
      }
      assert.deepEqual(await settled(page), [said, said])
    })

    test('a lockout: announced at its start and its end, and not each second', async (t) => {
      relay.engine.behave(LOCKED_OUT)
      const page = await open(t, PIN)
      await enter(page, '0000')
      await announcements(page, 1)
      const unlock = page.locator('#enter')
      assert.equal(await unlock.getAttribute('aria-disabled'), 'true')
      assert.equal(await page.locator('[inputmode]:visible').count(), 0)
      // Pressing the button during the lockout sends no request.
      const asked = relay.engine.connections.length
      await page.keyboard.press('Enter')
      const lockedHeading = await page.locator('h1').innerText()
      await passLockout(page)
      await announcements(page, 2)
      assert.deepEqual(
        [lockedHeading, await page.locator('h1').innerText()],
        ['Too many attempts', 'This page needs a code'],
      )
      assert.equal(relay.engine.connections.length, asked)
      const [[lockedOut, focus] = [], over] = await settled(page)
      assert.match(String(lockedOut), /^Too many wrong codes were entered\. You can try again at \d\d:\d\d\.$/)
      // The button is hidden meanwhile.
      assert.match(String(focus), /^0:0\d min\s*Too many wrong codes/)
      assert.deepEqual(over, ['You can try again now.', 'Digit 1 of 4'])
      const clock = (await page.evaluate('[...new Set(window.clock)]')) as string[]
      assert.deepEqual(
        clock.filter((text) => !['0:02 min', '0:01 min'].includes(text)),
        [],
      )
      assert.ok(clock.length >= 2, clock.join())
      assert.equal(await unlock.getAttribute('aria-disabled'), 'false')
      assert.deepEqual(await boxes(page), ['', '', '', ''])
    })

    test('a long lockout counts hours, minutes and seconds, and minutes and seconds in its last hour', async (t) => {
      relay.engine.behave(respondWith(rawResponse('429 Too Many Requests', ['Retry-After: 86400'])))
      const page = await open(t, PIN)
      await enter(page, '0000')
      await announcements(page, 1)
      for (const [hours, expected] of [
        [0, /^(24:00:00|23:59:5\d)$/],
        [15, /^8:59:\d\d$/],
        [8, /^59:\d\d min$/],
        [0.9, /^5:\d\d min$/],
      ] as const) {
        await page.clock.fastForward(hours * 3_600_000)
        await page.clock.runFor(500)
        assert.match(await page.locator('.clock').innerText(), expected)
      }
    })

    test('the end of a lockout leaves the focus where the visitor has moved it', async (t) => {
      relay.engine.behave(LOCKED_OUT)
      const page = await open(t, PIN)
      await enter(page, '0000')
      await announcements(page, 1)
      await page.focus('#copy')
      await passLockout(page)
      await announcements(page, 2)
      assert.deepEqual((await settled(page))[1], ['You can try again now.', 'Copy details'])
    })

    test('an engine failure: announced once; code and focus stay', async (t) => {
      relay.engine.behave(FAILED)
      const page = await open(t, PIN)
      await enter(page, '1234')
      await announcements(page, 1)
      const [[text, focus] = []] = await settled(page)
      assert.match(String(text), /^Your choice couldn’t be passed on\. You did nothing wrong/)
      assert.equal(focus, 'Digit 4 of 4')
      assert.deepEqual(await boxes(page), ['1', '2', '3', '4'])
      assert.deepEqual(await invalid(page), ['false'])
    })

    test('unlocked: announced once, with the focus on the link to the page', async (t) => {
      relay.engine.behave(ACCEPTED)
      const page = await open(t, { ...PIN, shortened: true })
      await enter(page, '1234')
      await announcements(page, 1)
      assert.deepEqual(await settled(page), [['Unlocked.', 'Continue to the page']])
      assert.equal(await page.locator('#enter').isVisible(), false)
      assert.equal(await page.getByRole('link', { name: 'Continue to the page' }).count(), 1)
    })

    test('copied: announced once per copy', async (t) => {
      const page = await open(t, { kind: 'warn' })
      for (const times of [1, 2]) {
        await page.click('#copy')
        await announcements(page, times)
      }
      const said = ['Copied', 'Copy details']
      assert.deepEqual(await settled(page), [said, said])
    })
  })
}

async function enter(page: Page, code: string): Promise<void> {
  await page.focus('[inputmode]')
  await page.keyboard.type(code)
  await page.keyboard.press('Enter')
}

const boxes = (page: Page) =>
  page.evaluate(`Array.from(document.querySelectorAll('[inputmode]'), (input) => input.value)`)

/** The values of `aria-invalid` of all boxes. */
const invalid = async (page: Page) => [
  ...new Set(
    (await page.evaluate(
      `Array.from(document.querySelectorAll('[inputmode]'), (input) => input.ariaInvalid)`,
    )) as string[],
  ),
]

/** The two seconds of `LOCKED_OUT`, each with its text on the clock. */
async function passLockout(page: Page): Promise<void> {
  for (let second = 0; second < 2; second++) await page.clock.runFor(1_000)
}

/** Not that the code is being checked, which is said only when the response takes longer than a moment. */
const SAID = 'announced.filter(([text]) => !/^(Checking|Vérification|Wird geprüft|Verifica)/.test(text))'

/** Waits until the live regions have said something so many times. */
async function announcements(page: Page, times: number): Promise<void> {
  // By asking again and again: what Playwright waits for by itself in the page, the page's policy forbids.
  await until(async () => Number(await page.evaluate(`${SAID}.length`)) >= times)
}

/** @returns all announcements, once no more arrive */
async function settled(page: Page): Promise<(readonly [text: string, focus: string])[]> {
  await page.clock.runFor(5_000)
  return (await page.evaluate(SAID)) as [string, string][]
}
