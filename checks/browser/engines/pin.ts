// The digit boxes of a PIN with real input: a digit that is typed replaces the one in its box wherever the caret is; input
// methods, autofill and paste neither double digits nor shift them.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { CHROMIUM, type Engine, type RunningEngine } from '../../../test/support/browser.ts'
import type { RunningPreview } from '../../../test/support/preview.ts'

const CODE = '279413'

const VALUES = `Array.from(document.querySelectorAll('[inputmode]'), (box) => box.value || '_').join('')`
const FOCUSED = `Array.from(document.querySelectorAll('[inputmode]')).indexOf(document.activeElement)`

export function testPin(engine: Engine, browser: () => RunningEngine, preview: () => RunningPreview): void {
  describe('the boxes of a PIN', () => {
    /** @param code typed into the first box */
    async function open(t: TestContext, code = CODE): Promise<Page> {
      const { page } = await browser().openPage(t)
      await page.goto(preview().page('warned-pin'))
      await page.locator('[inputmode]').first().focus()
      await page.keyboard.type(code)
      return page
    }
    const box = (page: Page, place: number) => page.locator('[inputmode]').nth(place)

    async function assertBoxes(page: Page, values: string, focused: number, message = values): Promise<void> {
      assert.deepEqual([await page.evaluate(VALUES), await page.evaluate(FOCUSED)], [values, focused], message)
    }

    test('a click into a filled box and one digit replace its digit', async (t) => {
      const page = await open(t)
      const { width = 0, height = 0 } = (await box(page, 3).boundingBox()) ?? {}
      for (const x of [2, width / 2, width - 2]) {
        await box(page, 3).click({ position: { x, y: height / 2 } })
        await page.keyboard.type('9')
        await assertBoxes(page, '279913', 4, `at ${x}`)
        // The second click is into the box with the focus, and only places the caret.
        for (let click = 0; click < 2; click++) await box(page, 3).click({ position: { x, y: height / 2 } })
        await page.keyboard.type('4')
        await assertBoxes(page, CODE, 4, `at ${x}, twice`)
      }
    })

    test('what is no digit changes nothing', async (t) => {
      const page = await open(t)
      await box(page, 2).click()
      await page.keyboard.type('x -')
      await assertBoxes(page, CODE, 2)
      await box(page, 5).click()
      await page.keyboard.type('9')
      await assertBoxes(page, '279419', 5)
    })

    for (const key of ['Backspace', 'Delete']) {
      test(`${key} empties a box, wherever the caret is`, async (t) => {
        for (const caret of ['Home', 'End']) {
          const page = await open(t)
          await box(page, 2).click()
          await page.keyboard.press(caret)
          await page.keyboard.press(key)
          await assertBoxes(page, '27_413', 2, caret)
          await page.keyboard.type('9')
          await assertBoxes(page, CODE, 3, caret)
        }
      })
    }

    test('Backspace in an empty box goes back; arrows move and keep the digits', async (t) => {
      const page = await open(t, '279')
      await assertBoxes(page, '279___', 3)
      await page.keyboard.press('Backspace')
      await assertBoxes(page, '27____', 2)
      for (const focused of [1, 0, 0]) {
        await page.keyboard.press('ArrowLeft')
        await assertBoxes(page, '27____', focused)
      }
      await page.keyboard.type('5')
      for (const focused of [2, 3, 4, 5, 5]) {
        await page.keyboard.press('ArrowRight')
        await assertBoxes(page, '57____', focused)
      }
    })

    test('digits of other scripts and widths are digits', async (t) => {
      await assertBoxes(await open(t, '２７９٤१3'), CODE, 5)
    })

    test('a code that is pasted, or filled in by the browser, starts in its box', async (t) => {
      const page = await open(t, '')
      for (const [place, text, values] of [
        [0, '279-413', CODE],
        [0, ' ２７９４１３ ', CODE],
        [4, '9', '279493'],
        [4, '13 and more: 55', CODE],
      ] as const) {
        await box(page, place).click()
        await page.evaluate(
          `{
            const data = new DataTransfer()
            data.setData('text/plain', ${JSON.stringify(text)})
            // Firefox ignores the data of an event that a script makes.
            const paste = Object.defineProperty(new ClipboardEvent('paste', { cancelable: true }), 'clipboardData', { value: data })
            if (document.activeElement.dispatchEvent(paste)) document.execCommand('insertText', false, data.getData('text/plain'))
          }`,
        )
        assert.equal(await page.evaluate(VALUES), values, text)
      }
      // Autofill replaces the value, and does not say with what.
      for (const [value, values] of [
        ['555123', '555123'],
        ['6', '655123'],
      ] as const) {
        await page.evaluate(`{
          const [first] = document.querySelectorAll('[autocomplete="one-time-code"]')
          first.focus()
          first.value = ${JSON.stringify(value)}
          first.dispatchEvent(new Event('input', { bubbles: true }))
        }`)
        assert.equal(await page.evaluate(VALUES), values)
      }
    })

    test('the clipboard', async (t) => {
      const page = await open(t, '')
      await page.evaluate(`{
        document.querySelector('h1').textContent = 'Code: 279 413'
        document.activeElement.blur()
      }`)
      await page.locator('h1').selectText()
      await page.keyboard.press('ControlOrMeta+C')
      await box(page, 0).click()
      await page.keyboard.press('ControlOrMeta+V')
      await assertBoxes(page, CODE, 5)
    })

    // Only there can a test compose text.
    if (engine === CHROMIUM) testInputMethod(open, box, assertBoxes)
  })
}

function testInputMethod(
  open: (t: TestContext, code?: string) => Promise<Page>,
  box: (page: Page, place: number) => ReturnType<Page['locator']>,
  assertBoxes: (page: Page, values: string, focused: number, message?: string) => Promise<void>,
): void {
  async function compose(page: Page, ...steps: readonly string[]): Promise<void> {
    const client = await page.context().newCDPSession(page)
    for (const text of steps) {
      const at = text.length
      await client.send('Input.imeSetComposition', { text, selectionStart: at, selectionEnd: at })
    }
    await client.send('Input.insertText', { text: steps.at(-1) ?? '' })
    await client.detach()
  }

  test('a whole code in one composition', async (t) => {
    const page = await open(t, '')
    await compose(page, '２', '２７', '２７９４１３')
    await assertBoxes(page, CODE, 5)
  })

  test('in a filled box, with the caret on either side', async (t) => {
    const page = await open(t)
    for (const key of ['Home', 'End']) {
      for (const digit of ['9', '4']) {
        await box(page, 3).focus()
        await page.keyboard.press(key)
        await compose(page, digit)
        await assertBoxes(page, `279${digit}13`, 4, key)
      }
    }
  })

  test('a composition without a digit changes nothing, and one that ends by leaving the box stays there', async (t) => {
    const page = await open(t)
    await box(page, 3).focus()
    await page.keyboard.press('End')
    await compose(page, 'あ')
    await assertBoxes(page, CODE, 3)
    const client = await page.context().newCDPSession(page)
    await client.send('Input.imeSetComposition', { text: '9', selectionStart: 1, selectionEnd: 1 })
    await page.locator('#enter').focus()
    await assertBoxes(page, '279913', -1)
  })
}
