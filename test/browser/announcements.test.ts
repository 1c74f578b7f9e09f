// What a screen reader is told: the names of the fields, and each change once, with the focus where the visitor goes on.
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { VerdictClaims } from '../../src/contract/verdict.ts'
import { acknowledgement, type Relay, startRelay } from '../portal/relay/relay.ts'
import { ENGINES, type RunningEngine, type Settings } from '../support/browser.ts'
import { answer, answering, problemAnswer } from '../support/hostile-engine.ts'

const WRONG = answering(
  problemAnswer('403 Forbidden', { type: '/problems/override-code-rejected', attempts_remaining: 2 }),
)
const LOCKED_OUT = answering(answer('429 Too Many Requests', ['Retry-After: 2']))
const TROUBLE = answering(answer('500 Internal Server Error'))
const ACCEPTED = answering(answer('302 Found', ['Location: http://news.example/']))

const PIN = { kind: 'warn', override: { type: 'pin', length: 4 } } as const

/** Notes what every live region says, and what has the focus then; and every text of the clock. */
const LISTEN = `
  window.announced = []
  window.clock = []
  const name = (element) => element.getAttribute('aria-label') || element.innerText
  for (const region of document.querySelectorAll('[role=alert], [role=status], [role=log], [aria-live], output')) {
    new MutationObserver(() => {
      if (region.textContent) announced.push([region.textContent, name(document.activeElement)])
    }).observe(region, { childList: true, characterData: true, subtree: true })
  }
  const clock = document.getElementById('unlock-clock')
  if (clock) new MutationObserver(() => window.clock.push(clock.textContent)).observe(clock, { childList: true })
`

for (const engine of ENGINES) {
  describe(`announcements in ${engine.name}`, { skip: engine.skip }, () => {
    let browser: RunningEngine
    let relay: Relay
    before(async () => {
      browser = await engine.start()
      relay = await startRelay(undefined, WRONG, { env: { GATEWAY_CAPTIVE_BASE_URL: 'http://127.0.0.1' } })
    })
    after(async () => {
      await browser?.close()
      await relay?.close()
    })

    async function open(t: TestContext, changes: Partial<VerdictClaims>, settings?: Settings): Promise<Page> {
      const { page, allow } = await browser.openPage(t, settings)
      allow(/Failed to load resource: the server responded with a status of (403|429|502)/)
      await page.goto(relay.portal.address + acknowledgement(changes).page)
      await page.evaluate(LISTEN)
      return page
    }

    for (const [locale, group, digit, unlock, wrong] of [
      ['en', 'PIN', 'Digit 2 of 4', 'Unlock', 'That code is not right. 2 attempts left.'],
      ['fr', 'Code PIN', 'Chiffre 2 sur 4', 'Déverrouiller', 'Le code est incorrect. Il vous reste 2 tentatives.'],
      ['de', 'PIN', 'Ziffer 2 von 4', 'Entsperren', 'Der Code ist nicht richtig. Noch 2 Versuche.'],
      ['it', 'PIN', 'Cifra 2 di 4', 'Sblocca', 'Il codice non è corretto. Restano 2 tentativi.'],
    ] as const) {
      // The engines differ in the tree, not in the words.
      if (locale !== 'en' && engine.name !== 'Chromium') continue
      test(`a PIN is one group of boxes, each named by its place, all in one language: ${locale}`, async (t) => {
        relay.engine.behave(WRONG)
        const page = await open(t, PIN, { locale })
        const tree = await page.locator('#unlock').ariaSnapshot()
        const boxes = ['1', '2', '3', '4'].map((place) => `  - textbox "${digit.replace('2', place)}"`)
        assert.ok(tree.includes([`- group "${group}":`, `  - text: ${group}`, ...boxes].join('\n')), tree)
        assert.ok(tree.includes(`- button "${unlock}"\n- status\n- alert\n- timer`), tree)
        await enter(page, '0000')
        await announcements(page, 1)
        assert.deepEqual((await settled(page))[0]?.[0], wrong)
      })
    }

    test('a passphrase has one name, and stands in no group without one', async (t) => {
      const page = await open(t, { kind: 'warn', override: { type: 'passphrase', prompt: 'Word of the week' } })
      const tree = await page.locator('#code').ariaSnapshot()
      assert.equal(
        tree,
        '- text: Word of the week\n- textbox "Word of the week"\n- button "Show"\n- button "Unlock"\n- status',
      )
    })

    test('a wrong code: once, after the focus is in the first box, which is empty', async (t) => {
      relay.engine.behave(WRONG)
      const page = await open(t, PIN)
      const said = ['That code is not right. 2 attempts left.', 'Digit 1 of 4']
      for (const times of [1, 2]) {
        await enter(page, '0000')
        await announcements(page, times)
        assert.deepEqual(await boxes(page), ['', '', '', ''])
      }
      assert.deepEqual(await settled(page), [said, said])
    })

    test('a code that is not whole: each time it is pressed, with the focus in the box that is missing', async (t) => {
      const page = await open(t, PIN)
      const said = ['Please enter the whole code.', 'Digit 3 of 4']
      for (const times of [1, 2]) {
        await enter(page, times === 1 ? '00' : '')
        await announcements(page, times)
      }
      assert.deepEqual(await settled(page), [said, said])
    })

    test('a lockout: at its start and at its end, and not each second', async (t) => {
      relay.engine.behave(LOCKED_OUT)
      const page = await open(t, PIN)
      await enter(page, '0000')
      await announcements(page, 1)
      const unlock = page.locator('#unlock-button')
      assert.equal(await unlock.getAttribute('aria-disabled'), 'true')
      assert.equal(await page.locator('[inputmode]:enabled').count(), 0)
      // Pressing it all the same asks nobody.
      const asked = relay.engine.connections.length
      await page.keyboard.press('Enter')
      await announcements(page, 2)
      assert.equal(relay.engine.connections.length, asked)
      assert.deepEqual(await settled(page), [
        ['There were too many attempts in a short time. You can try again in 2 seconds.', 'Unlock'],
        ['You can try again now.', 'Digit 1 of 4'],
      ])
      const clock = (await page.evaluate('[...new Set(window.clock)]')) as string[]
      assert.deepEqual(
        clock.filter((text) => !['0:02', '0:01', ''].includes(text)),
        [],
      )
      assert.ok(clock.length >= 2, clock.join())
      assert.equal(await unlock.getAttribute('aria-disabled'), 'false')
      assert.deepEqual(await boxes(page), ['', '', '', ''])
    })

    test('the end of a lockout leaves the focus where the visitor has gone', async (t) => {
      relay.engine.behave(LOCKED_OUT)
      const page = await open(t, PIN)
      await enter(page, '0000')
      await announcements(page, 1)
      await page.focus('#copy')
      await announcements(page, 2)
      assert.deepEqual((await settled(page))[1], ['You can try again now.', 'Copy details'])
    })

    test('trouble: once; the code stays, and so does the focus', async (t) => {
      relay.engine.behave(TROUBLE)
      const page = await open(t, PIN)
      await enter(page, '1234')
      await announcements(page, 1)
      const [[text, focus] = []] = await settled(page)
      assert.match(String(text), /^Your choice could not be passed on\. This was not your fault/)
      assert.equal(focus, 'Digit 4 of 4')
      assert.deepEqual(await boxes(page), ['1', '2', '3', '4'])
    })

    test('unlocked: once, with the focus on the way on', async (t) => {
      relay.engine.behave(ACCEPTED)
      const page = await open(t, { ...PIN, shortened: true })
      await enter(page, '1234')
      await announcements(page, 1)
      assert.deepEqual(await settled(page), [['Unlocked.', 'Continue to the page']])
      assert.equal(await page.locator('#code').isVisible(), false)
      assert.equal(await page.getByRole('link', { name: 'Continue to the page' }).count(), 1)
    })

    test('copied: once for each time', async (t) => {
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

/** Waits until the live regions have said something so many times. */
async function announcements(page: Page, times: number): Promise<void> {
  // By asking again and again: what Playwright waits for by itself in the page, the page's policy forbids.
  while (Number(await page.evaluate('announced.length')) < times) await page.waitForTimeout(20)
}

/** All that was said, when nothing more comes. */
async function settled(page: Page): Promise<(readonly [text: string, focus: string])[]> {
  await page.waitForTimeout(300)
  return (await page.evaluate('announced')) as [string, string][]
}
