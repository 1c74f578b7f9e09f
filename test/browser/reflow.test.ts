// Nothing breaks on a narrow screen, at 400 % zoom and with more space between letters: every state in the language with the
// longest words, and a page of each layout in the others. `npm run check -- reflow` has every state in every language and
// palette.
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { LOCALES } from '../../src/config/locales.ts'
import { launchChromium } from '../support/browser.ts'
import { LAYOUTS } from '../support/preview.ts'
import { assertReflows } from '../support/reflow.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

describe('pages hold', { skip: skipWithoutChromium, concurrency: 2 }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser?.close())

  for (const locale of LOCALES) {
    test(`in ${locale}`, (t) =>
      assertReflows(t, browser, { palette: 'indigo', locale, ...(locale !== 'de' && { states: LAYOUTS }) }))
  }
  // The only palette that has another layout: its face.
  test('in de, bsod', (t) => assertReflows(t, browser, { palette: 'bsod', locale: 'de', states: LAYOUTS }))
})
