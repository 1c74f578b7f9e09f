// The preview in this process, with pages as visitors get them, for page sizes, browser tests and the gallery. Its
// clock is fixed, and its engine always responds.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type PageState, pageStates } from '../../src/portal/preview/page-states.ts'
import { createPreviewApp } from '../../src/portal/preview/preview-app.ts'
import type { Palette } from '../../src/portal/settings/brand.ts'
import { loadConfig } from '../../src/portal/settings/config.ts'
import { LOCALES } from '../../src/settings/sections/locales.ts'
import { acceptsClicks, openPage } from './browser.ts'
import type { Cleanup } from './cleanup.ts'
import { freePort } from './free-port.ts'
import { SECRET } from './payloads.ts'
import { NOW } from './portal.ts'

/** For `npm test`: the most different ones. The checks have every state. */
export const BRIEF: readonly string[] = [
  'blocked',
  'warned-pin-incomplete',
  'aup',
  'languages-open',
  'certificate',
  'outcome-internal',
]

export interface RunningPreview {
  /** Scheme, host and port. */
  readonly address: string
  readonly states: readonly PageState[]
  /** The addresses of page states that need no action, by name. */
  readonly pages: ReadonlyMap<string, string>
  /** @returns the address of a state @throws {Error} when no state has that name */
  page(name: string): string
  close(): Promise<void>
}

/** @param t ends it */
export async function startPreview(env: Readonly<Record<string, string>> = {}, t?: Cleanup): Promise<RunningPreview> {
  // The pages contain their own address, so that it must be known in advance.
  const port = await freePort()
  const { config } = loadConfig({
    GATEWAY_CAPTIVE_SHARED_SECRET: SECRET,
    GATEWAY_CAPTIVE_SECRET_KEY: `session-${SECRET}`,
    GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite://',
    GATEWAY_CAPTIVE_BASE_URL: `http://127.0.0.1:${port}`,
    GATEWAY_ORG_NAME: 'Kantonsschule Musterhausen',
    GATEWAY_CAPTIVE_BRAND_LOGO: fileURLToPath(new URL('../../demo/logo.svg', import.meta.url)),
    GATEWAY_CAPTIVE_SUPPORT_URL: 'mailto:helpdesk@musterhausen.example',
    GATEWAY_CAPTIVE_SUPPORT_TEXT: '+41 44 123 45 67',
    ...env,
  })
  const log = pino({ level: 'silent' })
  const app = await createPreviewApp({ config, clock: () => NOW * 1000, log, isMarked: false })
  const address = await app.listen({ host: '127.0.0.1', port })
  t?.after(() => app.close())
  const states = pageStates(config.payload.keyring.sealing, NOW)
  const asSent = states.filter(({ action }) => action === undefined)
  const pages = new Map(asSent.map(({ name, target }) => [name, address + target]))
  return {
    address,
    states,
    pages,
    page(name) {
      const found = pages.get(name)
      if (found === undefined) throw new Error(`no page state ${name}`)
      return found
    },
    close: () => app.close(),
  }
}

/** What to look at in a browser. */
export interface PreviewScope {
  readonly palette: Palette
  /** Names; every state by default. */
  readonly states?: readonly string[] | undefined
}

/** Starts a preview for one test, and opens a page for its states. */
export async function openPreview(
  t: TestContext,
  browser: Browser,
  { palette, states: names }: PreviewScope,
  options: BrowserContextOptions,
): Promise<{ preview: RunningPreview; page: Page; states: readonly PageState[] }> {
  const preview = await startPreview(
    { GATEWAY_CAPTIVE_BRAND_PALETTE: palette, GATEWAY_CAPTIVE_SUPPORTED_LOCALES: LOCALES.join(',') },
    t,
  )
  const { page, allow } = await openPage(t, browser, options)
  // Outcome pages have error statuses.
  allow(/Failed to load resource: the server responded with a status of [45]\d\d/)
  const states = preview.states.filter(({ name }) => names?.includes(name) ?? true)
  assert.equal(states.length, names?.length ?? preview.states.length)
  return { preview, page, states }
}

/** Opens the page and brings it into the state, as a visitor would. */
export async function showState(page: Page, { address }: RunningPreview, { target, action }: PageState): Promise<void> {
  await page.goto(address + target)
  if (action === undefined) return
  if (action.type !== undefined) {
    await page.locator('input').first().focus()
    await page.keyboard.type(action.type)
  }
  await acceptsClicks(page)
  await page.click(action.press)
  await page.locator(action.shows).waitFor()
}
