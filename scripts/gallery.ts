// `npm run gallery`: takes a picture of every page in every state, palette, flavour and language, and writes an index.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { launchChromium } from '../test/support/browser.ts'
import { startPreview } from '../test/support/preview.ts'
import { chromiumPath, WITHOUT_CHROMIUM } from '../test/support/requirement.ts'
import { CHOSEN } from './gallery/chosen.ts'
import { indexPage } from './gallery/index-page.ts'
import { type Picture, planPictures } from './gallery/plan.ts'
import { type Format, takePictures } from './gallery/take-pictures.ts'

const HELP = `Usage: npm run gallery -- [options]

Takes pictures of the pages in Chromium, and writes them with an index to
docs/gallery/, which it empties first. Without options: every page in every
state, palette, flavour and language, in a few minutes. The first four may be
given several times.

  --state NAME     only this state, such as warned-pin (an unknown name lists
                   them all)
  --palette NAME   indigo, amber or bsod
  --flavour NAME   light or dark
  --locale NAME    en, fr, de, it, es, pt, nl, pl or ar
  --width PIXELS   of the window; otherwise 800
  --chosen         recreates the few pictures of docs/pictures/ instead
  --help           this text

Examples:
  npm run gallery -- --palette amber --locale fr
  npm run gallery -- --state warned --state warned-pin --width 360
`

const GALLERY = fileURLToPath(new URL('../docs/gallery/', import.meta.url))
const PICTURES = fileURLToPath(new URL('../docs/pictures/', import.meta.url))
const DEFAULT_WIDTH = 800

try {
  await run()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = error instanceof RangeError || error instanceof TypeError ? 2 : 1
}

async function run(): Promise<void> {
  const several = { type: 'string', multiple: true } as const
  const { values } = parseArgs({
    options: {
      state: several,
      palette: several,
      flavour: several,
      locale: several,
      width: { type: 'string' },
      chosen: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return void process.stdout.write(HELP)
  if (chromiumPath === undefined) throw new RangeError(WITHOUT_CHROMIUM)
  const width = Number(values.width ?? DEFAULT_WIDTH)
  if (!Number.isInteger(width) || width < 200 || width > 4000) throw new RangeError('--width must be from 200 to 4000')

  if (values.chosen) {
    await withProgress(CHOSEN.length, async (take) => {
      for (const { picture, format } of CHOSEN) await take([picture], PICTURES, format)
    })
    return
  }
  const { states, close } = await startPreview()
  await close()
  const pictures = planPictures(states, values)
  rmSync(GALLERY, { recursive: true, force: true })
  mkdirSync(`${GALLERY}pictures`, { recursive: true })
  await withProgress(pictures.length, (take) => take(pictures, `${GALLERY}pictures`, { width, scale: 1 }))
  writeFileSync(`${GALLERY}index.html`, indexPage(pictures, states, 'pictures').toString())
  process.stdout.write(`Open ${GALLERY}index.html\n`)
}

/** Provides a browser and logs progress on stderr. */
async function withProgress(
  total: number,
  work: (take: (pictures: readonly Picture[], folder: string, format: Format) => Promise<void>) => Promise<void>,
): Promise<void> {
  const browser = await launchChromium()
  let taken = 0
  const onTaken = () => {
    taken++
    if (process.stderr.isTTY) process.stderr.write(`\r${taken} of ${total} pictures`)
    else if (taken % 100 === 0) process.stderr.write(`${taken} of ${total} pictures\n`)
  }
  try {
    await work((pictures, folder, format) => takePictures(browser, pictures, folder, format, onTaken))
  } finally {
    await browser.close()
    if (process.stderr.isTTY) process.stderr.write('\n')
  }
}
