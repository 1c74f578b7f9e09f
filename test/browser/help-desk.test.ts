// What a visitor passes on to the help desk: the details, as plain text, with and without a clipboard.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import packageJson from '#package' with { type: 'json' }
import { ENGINES, type RunningEngine, UNSAFE_HOST } from '../support/browser.ts'
import { type RunningPreview, startPreview } from '../support/preview.ts'

const { version, releaseType } = packageJson
const VERSION = `${version}-${releaseType}`

const DETAILS = {
  en: [
    'Requested address: https://fresh-news.example/today?id=7',
    'Rule: sample-rule',
    'Category: Newly registered',
    'Reference: cHJldmlldy1yZWZlcmVuYw',
    'Time: 15 January 2027 at 08:00:00 UTC',
    `Portal version: ${VERSION}`,
  ],
  fr: [
    'Adresse demandée\u00a0: https://fresh-news.example/today?id=7',
    'Règle\u00a0: sample-rule',
    'Catégorie\u00a0: Newly registered',
    'Référence\u00a0: cHJldmlldy1yZWZlcmVuYw',
    'Date et heure\u00a0: 15 janvier 2027 à 08:00:00 UTC',
    `Version du portail\u00a0: ${VERSION}`,
  ],
} as const

for (const engine of ENGINES) {
  describe(`the details, copied in ${engine.name}`, { skip: engine.skip }, () => {
    let browser: RunningEngine
    let preview: RunningPreview
    before(async () => {
      browser = await engine.start()
      preview = await startPreview()
    })
    after(async () => {
      await browser?.close()
      await preview?.close()
    })

    for (const [locale, lines] of Object.entries(DETAILS)) {
      test(`as plain text, in the language ${locale}`, async (t) => {
        const { page } = await browser.openPage(t, { locale })
        await page.goto(preview.page('blocked'))
        await page.click('#copy')
        await page.locator('#copied', { hasText: /Copied|Détails copiés/ }).waitFor()
        assert.equal(await page.locator('#copy-text').isVisible(), false)
        assert.equal(await pasted(page), lines.join('\n'))
      })
    }

    test('an address that was shortened says so, and no category leaves no line', async (t) => {
      const { page } = await browser.openPage(t)
      await page.goto(preview.page('blocked-shortened'))
      await page.click('#copy')
      await page.locator('#copied', { hasText: 'Copied' }).waitFor()
      assert.match(await pasted(page), /^Requested address: https:\/\/fresh-news.example\/today\?id=7…\n/)
      await page.goto(preview.page('blocked-without-reason'))
      await page.click('#copy')
      await page.locator('#copied', { hasText: 'Copied' }).waitFor()
      assert.doesNotMatch(await pasted(page), /Category/)
    })

    test('over plain http there is no clipboard: the text is selected, and the keyboard copies it', async (t) => {
      const { page } = await browser.openPage(t)
      await page.goto(preview.page('blocked').replace('127.0.0.1', UNSAFE_HOST))
      assert.equal(await page.evaluate('navigator.clipboard'), undefined)
      await copySelected(page)
    })

    // Firefox has no such permission: a click is enough to write.
    if (engine.name === 'Chromium') {
      test('with the right to the clipboard denied the text is selected too', async (t) => {
        const { page } = await browser.openPage(t)
        await page.goto(preview.page('blocked'))
        // Grants this, and denies everything else.
        await page.context().grantPermissions(['geolocation'])
        await copySelected(page)
      })
    }
  })
}

async function copySelected(page: Page): Promise<void> {
  await page.focus('#copy')
  await page.keyboard.press('Enter')
  await page.locator('#copied', { hasText: 'The text is selected' }).waitFor()
  assert.equal(await page.locator('#copy-text').isVisible(), true)
  assert.equal(String(await page.evaluate('getSelection().toString()')), DETAILS.en.join('\n'))
  await page.keyboard.press('ControlOrMeta+C')
  assert.equal(await pasted(page), DETAILS.en.join('\n'))
}

/** What is in the clipboard, as any other program would get it. */
async function pasted(page: Page): Promise<string> {
  const elsewhere = await page.context().newPage()
  await elsewhere.setContent('<textarea></textarea>')
  await elsewhere.focus('textarea')
  await elsewhere.keyboard.press('ControlOrMeta+V')
  const text = await elsewhere.inputValue('textarea')
  await elsewhere.close()
  await page.bringToFront()
  return text
}
