// The page of `gatewayctl report` in Chromium, from a file as it is mailed: in each language, as a dashboard, on a phone and on
// paper. The policy in it fails a test by a console error if something would load or run.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import type { Report } from '../../src/contract/report.ts'
import { LANGUAGES, type Language } from '../../src/gatewayctl/report/page/i18n/catalogue.ts'
import { reportPage } from '../../src/gatewayctl/report/page/page.ts'
import { PALETTES, type Palette } from '../../src/settings/sections/operator.ts'
import { emptyReport, fullReport, withPeople } from '../../test/gatewayctl/report/sample.ts'
import { launchHeadlessShell, openPage, type Settings } from '../../test/support/browser.ts'
import { HOSTILE_TEXTS } from '../../test/support/hostile.ts'
import { skipWithoutChromium } from '../../test/support/requirement.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const REPORTS: Readonly<Record<string, Report>> = {
  'four weeks': withPeople(fullReport({ days: 28 })),
  'a year': fullReport({ days: 365, rules: 100 }),
  'one day': fullReport({ days: 1 }),
  nothing: emptyReport(1),
}

describe('the report’s page', { skip: skipWithoutChromium }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchHeadlessShell()
  })
  after(() => browser.close())

  for (const language of LANGUAGES) {
    for (const [name, report] of Object.entries(REPORTS)) {
      test(`${language}, ${name}: accessible in both flavours, and no wider than a phone`, async (t) => {
        const page = await open(t, browser, report, { language })
        const closed = page.locator('details:not([open]) > summary')
        while ((await closed.count()) > 0) await closed.first().click()
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          for (const width of [1280, 320]) {
            await page.setViewportSize({ width, height: 900 })
            const beyond = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number
            assert.ok(beyond <= 0, `${width} pixels`)
          }
          assert.deepEqual(await violations(page), [], colorScheme)
        }
      })
    }
  }

  test('each palette', async (t) => {
    for (const palette of PALETTES) {
      const page = await open(t, browser, fullReport(), { palette })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        assert.deepEqual(await violations(page), [], `${palette}, ${colorScheme}`)
      }
    }
  })

  test('in print everything is black on white, and the tables behind the charts are open', async (t) => {
    const page = await open(
      t,
      browser,
      withPeople(fullReport({ days: 28 })),
      { palette: 'bsod' },
      { colorScheme: 'dark' },
    )
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    assert.equal(await page.locator('details[open]').count(), 0)
    for (const table of await page.locator('details table').all()) {
      assert.ok(((await table.boundingBox())?.height ?? 0) > 400)
    }
    const inks =
      await page.evaluate(`[...new Set([...document.querySelectorAll('body, article, h1, td, dt, rect')].flatMap((element) => {
      const { color, backgroundColor, fill } = getComputedStyle(element)
      return element.matches('rect') ? [fill] : [color, backgroundColor]
    }))].sort()`)
    const ink = ['rgb(0, 0, 0)', 'rgb(255, 255, 255)', 'rgb(51, 51, 51)', 'rgba(0, 0, 0, 0)']
    const fills = ['url("#dotted")', 'url("#hatched")']
    assert.deepEqual(inks, [...ink, ...fills].sort())
    const pages = `${(await page.pdf({ format: 'A4', preferCSSPageSize: true })).toString('latin1')}`
    assert.ok((pages.match(/\/Type\s*\/Page\b/g)?.length ?? 0) <= 6)
  })

  test('hostile names neither run nor load, and stay in their place', async (t) => {
    for (const hostile of HOSTILE_TEXTS) {
      const page = await open(
        t,
        browser,
        withPeople(fullReport({ name: () => hostile }), () => hostile),
        {},
      )
      let dialogs = 0
      page.on('dialog', async (dialog) => {
        dialogs++
        await dialog.dismiss()
      })
      await page.setViewportSize({ width: 320, height: 900 })
      assert.ok(((await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number) <= 0, hostile)
      assert.equal(await page.locator('script, img, iframe, a').count(), 0)
      assert.equal(dialogs, 0)
    }
  })

  test('the keyboard opens a table', async (t) => {
    const page = await open(t, browser, fullReport(), {})
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    assert.equal(await page.locator('details[open]').count(), 1)
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.className'), 'wide-table')
  })
})

async function open(
  t: TestContext,
  browser: Browser,
  report: Report,
  { language = 'en', palette = 'indigo' }: { readonly language?: Language; readonly palette?: Palette },
  settings: Settings = {},
): Promise<Page> {
  const file = join(temporaryFolder(t), 'report.html')
  writeFileSync(file, reportPage(report, { language, palette, organisation: 'Kantonsschule' }).toString())
  const { page } = await openPage(t, browser, settings)
  await page.goto(pathToFileURL(file).href)
  return page
}

async function violations(page: Page): Promise<readonly string[]> {
  // The page's policy lets no script in; the debugger's may run.
  await page.evaluate(`(() => {${axe}})()`)
  const found = (await page.evaluate(
    `axe.run({ resultTypes: ['violations'] }).then((found) => found.violations)`,
  )) as AxeResults['violations']
  return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`))
}
