// A real Chromium, and pages in it that fail their test on any console error or CSP violation.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { chromiumPath } from './requirement.ts'

/** @param home whose certificate store the browser reads */
export async function launchChromium(moreArgs: readonly string[] = [], home?: string): Promise<Browser> {
  assert.ok(chromiumPath !== undefined)
  return await chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...moreArgs,
    ],
    ...(home !== undefined && { env: { ...process.env, HOME: home } }),
  })
}

export interface WatchedPage {
  readonly page: Page
  /** Console errors that the test expects, such as the status of a refused code. */
  allow(message: RegExp): void
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
