// axe-core in a page of the preview.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import type { TestContext } from 'node:test'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import type { Palette } from '../../src/config/brand.ts'
import type { Locale } from '../../src/config/locales.ts'
import { openPage } from './browser.ts'
import { showState, startPreview } from './preview.ts'

const { source } = createRequire(import.meta.url)('axe-core') as { source: string }

const ONLY = `resultTypes: ['violations']`

/** What to look at: every state if none is named. */
export interface Scope {
  readonly palette: Palette
  readonly locale: Locale
  readonly states?: readonly string[]
  /** Whether to check the colours of the dark flavour too. */
  readonly isDarkToo: boolean
}

/** Asserts that no rule of axe-core is violated. */
export async function assertAccessible(t: TestContext, browser: Browser, scope: Scope): Promise<void> {
  const { palette, locale, isDarkToo } = scope
  const preview = await startPreview({ GATEWAY_CAPTIVE_BRAND_PALETTE: palette })
  t.after(() => preview.close())
  const { page, allow } = await openPage(t, browser, { locale })
  // The outcomes have the statuses that they have.
  allow(/Failed to load resource: the server responded with a status of [45]\d\d/)
  await page.addInitScript({ content: source })
  const states = preview.states.filter(({ name }) => scope.states?.includes(name) ?? true)
  assert.equal(states.length, scope.states?.length ?? preview.states.length)
  for (const state of states) {
    await page.emulateMedia({ colorScheme: 'light' })
    await showState(page, preview, state)
    assert.equal(await page.evaluate('document.documentElement.lang'), locale)
    await assertNothingFound(page, `axe.run({ ${ONLY} })`, state.name)
    if (!isDarkToo) continue
    await page.emulateMedia({ colorScheme: 'dark' })
    await assertNothingFound(page, `axe.run({ ${ONLY}, runOnly: ['cat.color'] })`, `${state.name}, dark`)
  }
}

async function assertNothingFound(page: Page, run: string, where: string): Promise<void> {
  const violations = (await page.evaluate(`${run}.then((found) => found.violations)`)) as AxeResults['violations']
  const found = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`))
  assert.deepEqual(found, [], where)
}
