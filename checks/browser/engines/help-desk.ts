// A visitor copies the details for the help desk: as plain text, with and without a clipboard.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import packageJson from '#package' with { type: 'json' }
import { type Engine, type RunningEngine, UNSAFE_HOST } from '../../../test/support/browser.ts'
import type { RunningPreview } from '../../../test/support/preview.ts'

const { version, releaseType } = packageJson
const VERSION = `${version}-${releaseType}`

const DETAILS = {
  en: [
    'Requested address: https://fresh-news.example/today?id=7',
    'Reference: cHJldmlldy1yZWZlcmVuYw',
    'Rule: sample-rule',
    'Category: Newly registered',
    'Time: 15 January 2027 at 08:00 UTC (2027-01-15T08:00:00Z)',
    'Help: helpdesk@musterhausen.example, +41 44 123 45 67',
    `Portal version: ${VERSION}`,
  ],
  fr: [
    'Adresse demandée\u00a0: https://fresh-news.example/today?id=7',
    'Référence\u00a0: cHJldmlldy1yZWZlcmVuYw',
    'Règle\u00a0: sample-rule',
    'Catégorie\u00a0: Newly registered',
    'Date et heure\u00a0: 15 janvier 2027 à 08:00 UTC (2027-01-15T08:00:00Z)',
    'Assistance\u00a0: helpdesk@musterhausen.example, +41 44 123 45 67',
    `Version du portail\u00a0: ${VERSION}`,
  ],
} as const

export function testDetails(engine: Engine, browser: () => RunningEngine, preview: () => RunningPreview): void {
  describe('the details, copied', () => {
    for (const [locale, lines] of Object.entries(DETAILS)) {
      test(`as plain text, in the language ${locale}`, async (t) => {
        const { page } = await browser().openPage(t, { locale })
        await page.goto(preview().page('blocked'))
        await page.click('#copy')
        await page.locator('#copied', { hasText: /Copied|Copié/ }).waitFor()
        assert.equal(await page.locator('#copy-text').isVisible(), false)
        assert.equal(await pasted(page), lines.join('\n'))
      })
    }

    test('a shortened address, a verdict without a category, and an internationalised host in both forms', async (t) => {
      const { page } = await browser().openPage(t)
      for (const [state, expected] of [
        ['blocked-shortened', /^Requested address: https:\/\/fresh-news.example\/today\?id=7…\n/],
        ['blocked-without-reason', /^(?!.*\nCategory)/s],
        [
          'blocked-punycode',
          /^Requested address: https:\/\/xn--[a-z0-9-]+\.example, новости-дня\.example\nReference: /,
        ],
      ] as const) {
        await page.goto(preview().page(state))
        await page.click('#copy')
        await page.locator('#copied', { hasText: 'Copied' }).waitFor()
        assert.match(await pasted(page), expected, state)
      }
    })

    for (const name of ['blocked', 'outcome-lockedOut']) {
      test(`a reference selected by hand has no spaces, though the page shows groups: ${name}`, async (t) => {
        const { page, allow } = await browser().openPage(t)
        allow(/Failed to load resource: the server responded with a status of 429/)
        await page.goto(preview().page(name))
        const groups = (await page.locator('#ref span').all()).map((group) => group.boundingBox())
        const [first, second] = await Promise.all(groups)
        assert.ok(first && second && second.x - first.x - first.width >= 4)
        assert.equal(groups.length, 6)
        await page.evaluate(`getSelection().selectAllChildren(document.getElementById('ref').parentNode)`)
        await page.keyboard.press('ControlOrMeta+C')
        assert.equal((await pasted(page)).trim(), 'cHJldmlldy1yZWZlcmVuYw')
      })
    }

    test('over plain http there is no clipboard: the text is selected, and the keyboard copies it', async (t) => {
      const { page } = await browser().openPage(t)
      await page.goto(preview().page('blocked').replace('127.0.0.1', UNSAFE_HOST))
      assert.equal(await page.evaluate('navigator.clipboard'), undefined)
      await copySelected(page)
    })

    // Firefox has no such permission: a click suffices to write.
    if (engine.name === 'Chromium') {
      test('with the right to the clipboard denied the text is selected too', async (t) => {
        const { page } = await browser().openPage(t)
        await page.goto(preview().page('blocked'))
        await page.context().clearPermissions()
        // Grants only this permission.
        await page.context().grantPermissions(['geolocation'])
        await copySelected(page)
      })
    }
  })
}

async function copySelected(page: Page): Promise<void> {
  await page.focus('#copy')
  await page.keyboard.press('Enter')
  await page.locator('#copied', { hasText: 'Text selected.' }).waitFor()
  assert.equal(await page.locator('#copy-text').isVisible(), true)
  assert.equal(String(await page.evaluate('getSelection().toString()')), DETAILS.en.join('\n'))
  await page.keyboard.press('ControlOrMeta+C')
  assert.equal(await pasted(page), DETAILS.en.join('\n'))
}

/** @returns the clipboard's content, as another program would paste it */
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
