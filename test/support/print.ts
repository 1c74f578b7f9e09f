// A page of the preview in print: black on white whatever the palette, no controls, and one page for all but long texts.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Locale } from '../../src/settings/sections/locales.ts'
import { openPreview, showState } from './preview.ts'

/** The explanation of certificate errors is on other pages. */
const isCertificatePage = (state: string) => /^certificate(?!-error)/.test(state)

/** @returns how many pages a state may take: one, except for long texts and the steps of all systems */
function mostPages(state: string): number {
  if (state === 'certificate-hand-out') return 1
  if (isCertificatePage(state)) return state === 'certificate-next' ? 5 : 4
  return state.startsWith('privacy') || state === 'blocked-hostile' ? 2 : 1
}

const MARGIN = { top: '1cm', bottom: '1cm', left: '1cm', right: '1cm' }

/** Page script: finds every colour other than black on transparent, every drawing other than black, and every visible control. */
const FIND_UNPRINTABLE = `Array.from(document.querySelectorAll('html, body, body *'))
  .filter((element) => element.checkVisibility())
  .flatMap((element) => {
    const { color, backgroundColor, backgroundImage, fill } = getComputedStyle(element)
    // A QR code has its own white.
    const isDrawn = !element.matches('svg:not(.qr), svg:not(.qr) *') || fill === 'rgb(0, 0, 0)'
    const isInk =
      color === 'rgb(0, 0, 0)' && backgroundColor === 'rgba(0, 0, 0, 0)' && backgroundImage === 'none' && isDrawn
    const isControl = element.matches('button, input, header summary, .primary, .button')
    return isInk && !isControl ? [] : [element.outerHTML.slice(0, 60) + ' ' + color + ' on ' + backgroundColor + ', ' + fill]
  })`

/** Asserts that each state prints as promised, in the palette that would be white on white and has the tallest pages. */
export async function assertPrints(
  t: TestContext,
  browser: Browser,
  locale: Locale,
  names?: readonly string[],
): Promise<void> {
  const scope = { palette: 'bsod', states: names } as const
  // The dark flavour must not affect printing.
  const { preview, page, states } = await openPreview(t, browser, scope, { locale, colorScheme: 'dark' })
  for (const state of states) {
    await showState(page, preview, state)
    const pages = countPages(await page.pdf({ format: 'A4', margin: MARGIN }))
    assert.ok(pages >= 1 && pages <= mostPages(state.name), `${state.name}: ${pages} pages`)
    // The notice is shown inside another site's page.
    if (state.name !== 'frame-notice') await assertPrintable(page, state.name)
    if (isCertificatePage(state.name)) await assertComplete(page, state.name)
  }
}

/** Asserts that all is black on white, without controls. */
export async function assertPrintable(page: Page, where: string): Promise<void> {
  await page.emulateMedia({ media: 'print' })
  assert.deepEqual(await page.evaluate(FIND_UNPRINTABLE), [], where)
  await page.emulateMedia({ media: null })
}

/** Every step of every system and the fingerprints, although only one system is open on the screen. */
async function assertComplete(page: Page, where: string): Promise<void> {
  await page.emulateMedia({ media: 'print' })
  const missing = await page
    .locator('#systems li, #sha256')
    .evaluateAll((all) => all.flatMap((element) => (element.checkVisibility() ? [] : [element.textContent])))
  assert.deepEqual(missing, [], where)
  await page.emulateMedia({ media: null })
}

/** Chromium compresses only streams, so that the objects of the PDF are readable. */
function countPages(pdf: Buffer): number {
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0
}
