// Real browsers, and pages in them that fail their test on any console error or CSP violation.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Browser, type BrowserContextOptions, chromium, firefox, type Locator, type Page } from 'playwright-core'
import type { Cleanup } from './cleanup.ts'
import { chromiumPath, firefoxPath, headlessShellPath, skipWithoutChromium, skipWithoutFirefox } from './requirement.ts'

/** A host name of this machine other than loopback: over plain http its pages are not a secure context. */
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

/** Chromium as visitors have it. @param home whose certificate store it reads */
export async function launchChromium(moreArgs: readonly string[] = [], home?: string): Promise<Browser> {
  return await launch(chromiumPath, moreArgs, home)
}

/**
 * Chromium's headless shell, where the system has it: its engine without windows, and without the user's certificates.
 * @param t ends it
 */
export async function launchHeadlessShell(t?: Cleanup): Promise<Browser> {
  const browser = await launch(headlessShellPath ?? chromiumPath)
  t?.after(() => browser.close())
  return browser
}

async function launch(path: string | undefined, moreArgs: readonly string[] = [], home?: string): Promise<Browser> {
  assert.ok(path !== undefined)
  return await chromium.launch({
    executablePath: path,
    args: [
      ...CHROMIUM_ARGUMENTS,
      `--host-resolver-rules=MAP ${UNSAFE_HOST} 127.0.0.1`,
      // The last of repeated arguments counts.
      ...moreArgs,
    ],
    ...(home !== undefined && { env: { ...process.env, HOME: home } }),
  })
}

/** Settings of a visitor's browser. */
export type Settings = Pick<BrowserContextOptions, 'locale' | 'colorScheme' | 'javaScriptEnabled'>

export interface RunningEngine {
  openPage(t: TestContext, settings?: Settings): Promise<WatchedPage>
  close(): Promise<void>
}

export interface Engine {
  readonly name: string
  /** The `skip` option of a suite. */
  readonly skip: string | false
  start(): Promise<RunningEngine>
}

export const CHROMIUM: Engine = { name: 'Chromium', skip: skipWithoutChromium, start: startChromium }
export const FIREFOX: Engine = { name: 'Firefox', skip: skipWithoutFirefox, start: startFirefox }

/** For what depends on the browser's engine: Chromium; Firefox in `npm run check -- firefox`. */
export const ENGINES: readonly Engine[] = [process.env.TEST_BROWSER === 'firefox' ? FIREFOX : CHROMIUM]

async function startChromium(): Promise<RunningEngine> {
  const browser = await launchHeadlessShell()
  // In Chromium a click permits it, in the headless shell it does not.
  const permissions = ['clipboard-write']
  return { openPage: (t, settings) => openPage(t, browser, { permissions, ...settings }), close: () => browser.close() }
}

/**
 * Launches Firefox with this profile, whose certificate store every context reads.
 * @param localHosts names of this machine
 */
export async function launchFirefox(
  profile: string,
  localHosts: readonly string[],
  preferences: Preferences,
): Promise<Browser> {
  const context = await firefox.launchPersistentContext(profile, firefoxOptions(preferences, localHosts))
  const browser = context.browser()
  assert.ok(browser !== null)
  return browser
}

type Preferences = Record<string, string | number | boolean>

/** The system's Firefox, over WebDriver BiDi. */
function firefoxOptions(preferences: Preferences, localHosts: readonly string[]) {
  assert.ok(firefoxPath !== undefined)
  const firefoxUserPrefs = { ...preferences, 'network.dns.localDomains': localHosts.join() }
  return { channel: 'moz-firefox', executablePath: firefoxPath, firefoxUserPrefs }
}

/** It accepts two of the settings only at its start. */
async function startFirefox(): Promise<RunningEngine> {
  const browsers = new Map<string, Promise<Browser>>()
  return {
    async openPage(t, { colorScheme = 'light', javaScriptEnabled = true, ...settings } = {}) {
      const preferences = {
        'javascript.enabled': javaScriptEnabled,
        'layout.css.prefers-color-scheme.content-override': colorScheme === 'dark' ? 0 : 1,
      }
      const key = JSON.stringify(preferences)
      const browser = browsers.get(key) ?? firefox.launch(firefoxOptions(preferences, [UNSAFE_HOST]))
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
  /** Allows console errors that the test expects, such as the status of a rejected code. */
  allow(message: RegExp): void
}

/** @returns what injected script and markup do from now on: dialogs, and the addresses of requests to anything but this one */
export function watchInjected(page: Page, address: string): { dialogs: number; outside: string[] } {
  const injected = { dialogs: 0, outside: [] as string[] }
  page.on('dialog', async (dialog) => {
    injected.dialogs++
    await dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(address)) injected.outside.push(request.url())
  })
  return injected
}

/** Waits until the page accepts clicks on its proceed control: it ignores them shortly after it appeared. */
export async function acceptsClicks(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const { guardedUntil } = document.getElementById('status')?.dataset ?? {}
    for (let left; (left = guardedUntil - performance.now()) > 0; ) await new Promise((resolve) => setTimeout(resolve, left))
  })()`)
}

/** Clicks on a page's proceed control as soon as the page accepts clicks. */
export async function clickProceed(proceed: Locator): Promise<void> {
  await acceptsClicks(proceed.page())
  await proceed.click()
}

/** Opens a page in a fresh context; unexpected console errors fail the test at its end. */
export async function openPage(
  t: TestContext,
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ locale: 'en-GB', ...options })
  const page = await context.newPage()
  const errors: string[] = []
  const allowed: RegExp[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.addInitScript({
    content: `document.addEventListener('securitypolicyviolation', (event) => {
      console.error('CSP violation: ' + event.violatedDirective + ' ' + event.blockedURI)
    })`,
  })
  t.after(async () => {
    await context.close()
    const unexpected = errors.filter((text) => !allowed.some((pattern) => pattern.test(text)))
    assert.deepEqual(unexpected, [], 'console errors')
  })
  return { page, allow: (message) => void allowed.push(message) }
}
