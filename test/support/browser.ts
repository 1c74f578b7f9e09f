// Real browsers, and pages in them that fail their test on any console error or CSP violation.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Browser, type BrowserContextOptions, chromium, firefox, type Locator, type Page } from 'playwright-core'
import { chromiumPath, firefoxPath, skipWithoutChromium, skipWithoutFirefox } from './requirement.ts'

/** A name of this machine that is not loopback's: over plain http its pages are no secure context. */
export const UNSAFE_HOST = 'portal.test'

export const CHROMIUM_ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** @param home whose certificate store the browser reads */
export async function launchChromium(moreArgs: readonly string[] = [], home?: string): Promise<Browser> {
  assert.ok(chromiumPath !== undefined)
  return await chromium.launch({
    executablePath: chromiumPath,
    args: [
      ...CHROMIUM_ARGUMENTS,
      `--host-resolver-rules=MAP ${UNSAFE_HOST} 127.0.0.1`,
      // The last one of a name counts.
      ...moreArgs,
    ],
    ...(home !== undefined && { env: { ...process.env, HOME: home } }),
  })
}

/** What a visitor's browser is set to. */
export type Settings = Pick<BrowserContextOptions, 'locale' | 'colorScheme' | 'javaScriptEnabled'>

export interface RunningEngine {
  openPage(t: TestContext, settings?: Settings): Promise<WatchedPage>
  close(): Promise<void>
}

/** The engines of browsers that the journeys run in. */
export const ENGINES: readonly {
  readonly name: string
  /** The `skip` option of a suite. */
  readonly skip: string | false
  start(): Promise<RunningEngine>
}[] = [
  { name: 'Chromium', skip: skipWithoutChromium, start: startChromium },
  { name: 'Firefox', skip: skipWithoutFirefox, start: startFirefox },
]

async function startChromium(): Promise<RunningEngine> {
  const browser = await launchChromium()
  return { openPage: (t, settings) => openPage(t, browser, settings), close: () => browser.close() }
}

/** The system's own Firefox, by WebDriver BiDi. It takes two of the settings at its start only. */
async function startFirefox(): Promise<RunningEngine> {
  const browsers = new Map<string, Promise<Browser>>()
  const launch = (preferences: Record<string, string | number | boolean>) => {
    assert.ok(firefoxPath !== undefined)
    const firefoxUserPrefs = { ...preferences, 'network.dns.localDomains': UNSAFE_HOST }
    return firefox.launch({ channel: 'moz-firefox', executablePath: firefoxPath, firefoxUserPrefs })
  }
  return {
    async openPage(t, { colorScheme = 'light', javaScriptEnabled = true, ...settings } = {}) {
      const preferences = {
        'javascript.enabled': javaScriptEnabled,
        'layout.css.prefers-color-scheme.content-override': colorScheme === 'dark' ? 0 : 1,
      }
      const key = JSON.stringify(preferences)
      const browser = browsers.get(key) ?? launch(preferences)
      browsers.set(key, browser)
      return await openPage(t, await browser, settings)
    },
    async close() {
      for (const browser of browsers.values()) await (await browser).close()
    },
  }
}

export interface WatchedPage {
  readonly page: Page
  /** Console errors that the test expects, such as the status of a refused code. */
  allow(message: RegExp): void
}

/** Waits until a click on the page's way on counts: shortly after the page appeared, it is ignored. */
export async function acceptsClicks(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    if (typeof heldUntil === 'undefined') return
    for (let left; (left = heldUntil - performance.now()) > 0; ) await new Promise((resolve) => setTimeout(resolve, left))
  })()`)
}

/** Clicks on a page's way on, as soon as that counts. */
export async function clickWayOn(wayOn: Locator): Promise<void> {
  await acceptsClicks(wayOn.page())
  await wayOn.click()
}

/** A page in a fresh context; what it complains of fails the test at its end. */
export async function openPage(
  t: TestContext,
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ locale: 'en-GB', ...options })
  const page = await context.newPage()
  const complaints: string[] = []
  const allowed: RegExp[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.addInitScript({
    content: `document.addEventListener('securitypolicyviolation', (event) => {
      console.error('CSP violation: ' + event.violatedDirective + ' ' + event.blockedURI)
    })`,
  })
  t.after(async () => {
    await context.close()
    const unexpected = complaints.filter((complaint) => !allowed.some((pattern) => pattern.test(complaint)))
    assert.deepEqual(unexpected, [], 'the browser complained')
  })
  return { page, allow: (message) => void allowed.push(message) }
}
