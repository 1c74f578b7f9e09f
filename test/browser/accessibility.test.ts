// axe-core over every page in every state: in every palette, light and dark, and in every language.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { AxeResults } from 'axe-core'
import { pino } from 'pino'
import type { Browser } from 'playwright-core'
import { loadConfig } from '../../src/config/config.ts'
import { LOCALES } from '../../src/config/locales.ts'
import { pageStates } from '../../src/portal/preview/page-states.ts'
import { createPreviewApp } from '../../src/portal/preview/preview-app.ts'
import { launchChromium, openPage } from '../support/browser.ts'
import { SECRET } from '../support/payloads.ts'
import { NOW } from '../support/portal.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

const { source } = createRequire(import.meta.url)('axe-core') as { source: string }

describe('axe-core', { skip: skipWithoutChromium }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser?.close())

  async function assertNothingFound(t: TestContext, palette: string, colorScheme: 'light' | 'dark', locale: string) {
    const { config } = loadConfig({
      GATEWAY_CAPTIVE_SHARED_SECRET: SECRET,
      GATEWAY_CAPTIVE_SECRET_KEY: `session-${SECRET}`,
      GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite://',
      GATEWAY_CAPTIVE_BASE_URL: 'http://127.0.0.1',
      GATEWAY_CAPTIVE_BRAND_PALETTE: palette,
      GATEWAY_CAPTIVE_SUPPORT_URL: 'mailto:help@school.example',
    })
    const app = await createPreviewApp({ config, clock: () => NOW * 1000, log: pino({ level: 'silent' }) })
    t.after(() => app.close())
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    const { page, allow } = await openPage(t, browser, { colorScheme, locale })
    // The outcomes have the statuses that they have.
    allow(/Failed to load resource: the server responded with a status of [45]\d\d/)
    for (const { name, target } of pageStates(config.payload.keyring.sealing, NOW)) {
      await page.goto(address + target)
      await page.evaluate(source)
      const { violations } = (await page.evaluate('axe.run()')) as AxeResults
      const found = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`))
      assert.deepEqual(found, [], name)
    }
  }

  for (const palette of ['indigo', 'amber', 'bsod']) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`finds nothing in ${palette}, ${colorScheme}`, (t) => assertNothingFound(t, palette, colorScheme, 'en'))
    }
  }
  for (const locale of LOCALES.filter((other) => other !== 'en')) {
    test(`finds nothing in the language ${locale}`, (t) => assertNothingFound(t, 'indigo', 'light', locale))
  }
})
