// Runs axe-core in a page of the preview.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import type { TestContext } from 'node:test'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import type { Locale } from '../../src/settings/sections/locales.ts'
import { openPreview, type PreviewScope, showState } from './preview.ts'

const { source } = createRequire(import.meta.url)('axe-core') as { source: string }

/** Off by default in axe-core: the rule that WCAG 2.2 added, and experimental ones. */
const MORE_RULES = ['target-size', 'css-orientation-lock', 'focus-order-semantics', 'p-as-heading']
const ENABLED = JSON.stringify(Object.fromEntries(MORE_RULES.map((rule) => [rule, { enabled: true }])))
const ALL_RULES = `axe.run({ resultTypes: ['violations'], rules: ${ENABLED} })`
/** The whole category, which includes a contrast of 7:1: the dark flavour keeps to it. */
const DARK_COLOURS = `axe.run({ resultTypes: ['violations'], runOnly: ['cat.color'] })`

/** Asserts that no rule of axe-core is violated: every rule in the light flavour, colours in the dark one. */
export async function assertAccessible(
  t: TestContext,
  browser: Browser,
  scope: PreviewScope & { readonly locale: Locale },
): Promise<void> {
  const { locale } = scope
  const { preview, page, states } = await openPreview(t, browser, scope, { locale })
  await page.addInitScript({ content: source })
  for (const state of states) {
    await page.emulateMedia({ colorScheme: 'light' })
    await showState(page, preview, state)
    assert.equal(await page.evaluate('document.documentElement.lang'), locale)
    await assertNothingFound(page, ALL_RULES, state.name)
    await page.emulateMedia({ colorScheme: 'dark' })
    await assertNothingFound(page, DARK_COLOURS, `${state.name}, dark`)
  }
}

async function assertNothingFound(page: Page, run: string, where: string): Promise<void> {
  const violations = (await page.evaluate(`${run}.then((found) => found.violations)`)) as AxeResults['violations']
  const found = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`))
  assert.deepEqual(found, [], where)
}
