// Takes pictures of pages in Chromium, two pages at a time.
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { LOCALES } from '../../src/settings/sections/locales.ts'
import { type RunningPreview, showState, startPreview } from '../../test/support/preview.ts'
import type { Picture } from './plan.ts'

export interface Format {
  /** In CSS pixels. */
  readonly width: number
  /** The whole page by default. */
  readonly height?: number
  /** Picture pixels per CSS pixel. */
  readonly scale: number
}

const PAGES_AT_ONCE = 2
const SCREEN_HEIGHT = 800

/** @param onTaken called after each picture */
export async function takePictures(
  browser: Browser,
  pictures: readonly Picture[],
  folder: string,
  { width, height, scale }: Format,
  onTaken: () => void = () => {},
): Promise<void> {
  const byPalette = Map.groupBy(pictures, ({ palette }) => palette)
  for (const [palette, ofPalette] of byPalette) {
    const preview = await startPreview({
      GATEWAY_CAPTIVE_BRAND_PALETTE: palette,
      GATEWAY_CAPTIVE_SUPPORTED_LOCALES: LOCALES.join(','),
    })
    try {
      const waiting = [...Map.groupBy(ofPalette, ({ locale }) => locale).values()]
      const work = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
          await takeInOneLanguage(preview, next)
      }
      await Promise.all(Array.from({ length: PAGES_AT_ONCE }, work))
    } finally {
      await preview.close()
    }
  }

  async function takeInOneLanguage(preview: RunningPreview, ofLanguage: readonly Picture[]): Promise<void> {
    const context = await browser.newContext({
      ...(ofLanguage[0] && { locale: ofLanguage[0].locale }),
      viewport: { width, height: height ?? SCREEN_HEIGHT },
      deviceScaleFactor: scale,
    })
    const page = await context.newPage()
    for (const [name, ofState] of Map.groupBy(ofLanguage, ({ state }) => state)) {
      const state = preview.states.find((candidate) => candidate.name === name)
      if (state === undefined) throw new RangeError(`no state ${name}`)
      await showState(page, preview, state)
      for (const { file, flavour } of ofState) {
        await page.emulateMedia({ colorScheme: flavour })
        await takePicture(page, join(folder, file), height === undefined)
        onTaken()
      }
    }
    await context.close()
  }
}

/** Retries, because a busy Chromium sometimes fails to capture a page. */
async function takePicture(page: Page, path: string, fullPage: boolean, attempts = 3): Promise<void> {
  try {
    await page.screenshot({ path, fullPage, ...(path.endsWith('.webp') && { quality: 80 }) })
  } catch (error) {
    if (attempts === 1) throw error
    await takePicture(page, path, fullPage, attempts - 1)
  }
}
