// `npm run check -- lighthouse`: Lighthouse's scores of the pages in a real Chromium, as a phone and as a desktop. The
// demo's portal serves the pages over plain http on loopback, which browsers treat like https.
import { cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import lighthouse, { desktopConfig } from 'lighthouse'
import { commit, writeIntoDocument } from '../bench/record.ts'
import { startDemo } from '../demo/start.ts'
import { launchChromium } from '../test/support/browser.ts'
import { freePort } from '../test/support/free-port.ts'
import { skipWithoutChromium } from '../test/support/requirement.ts'
import { EXIT_CANNOT_RUN } from './check.ts'

const USAGE = `Usage: npm run check -- lighthouse [options]

Runs Lighthouse on block, warn, aup and privacy, and prints Markdown. Exits with
status 1 when a page is below its target: 100 for accessibility, best
practices and performance.

  --runs N  how often each page is loaded (3); the median score counts
  --write   also put the result into docs/performance.md
  --help    this text

Example:
  npm run check -- lighthouse --runs 1
`

const TARGETS = { accessibility: 100, 'best-practices': 100, performance: 100 } as const
type Category = keyof typeof TARGETS
const CATEGORIES = Object.keys(TARGETS) as Category[]

/** The demo's site that leads to each page. */
const SITES = { block: 'casino', warn: 'news', aup: 'social', privacy: undefined } as const
type PageName = keyof typeof SITES

const FORM_FACTORS = { mobile: undefined, desktop: desktopConfig } as const

interface Load {
  readonly scores: Readonly<Record<Category, number>>
  readonly version: string
  /** The audits that lost points: `performance: total-blocking-time (90 ms)`. */
  readonly shortcomings: readonly string[]
}

/** A page on one form factor, with all its loads. */
interface Subject {
  readonly name: string
  readonly loads: readonly Load[]
}

const options = readOptions()
const busy = loadavg()[0] as number
const port = await freePort()
const browser = await launchChromium([`--remote-debugging-port=${port}`])
const demo = await startDemo({
  policyFile: fileURLToPath(new URL('../src/engine/sample-policy.toml', import.meta.url)),
  ports: [0],
})
try {
  const subjects = await loadAll()
  const result = `${circumstances(subjects)}\n${table(subjects)}`
  process.stdout.write(result)
  if (options.write) writeIntoDocument('npm run check -- lighthouse', result)
  for (const { name, loads } of subjects.filter(isBelowTarget)) {
    const why = new Set(loads.flatMap(({ shortcomings }) => shortcomings))
    process.stderr.write(`${name} is below its target: ${[...why].join('; ')}\n`)
    process.exitCode = 1
  }
} finally {
  await browser.close()
  await demo.stop()
}

async function loadAll(): Promise<Subject[]> {
  const subjects: Subject[] = []
  for (const name of Object.keys(SITES) as PageName[]) {
    for (const [formFactor, config] of Object.entries(FORM_FACTORS)) {
      process.stderr.write(`${name}, ${formFactor}\n`)
      const loads: Load[] = []
      while (loads.length < options.runs) loads.push(await loadOnce(await addressOf(name), config))
      subjects.push({ name: `${name}, ${formFactor}`, loads })
    }
  }
  return subjects
}

function score({ loads }: Subject, category: Category): number {
  const sorted = loads.map(({ scores }) => scores[category]).sort((one, other) => one - other)
  return sorted[(sorted.length - 1) >> 1] as number
}

function isBelowTarget(subject: Subject): boolean {
  return CATEGORIES.some((category) => score(subject, category) < TARGETS[category])
}

/** Creates a new URL each time, because verdicts expire. */
async function addressOf(name: PageName): Promise<string> {
  const site = SITES[name]
  if (site === undefined) return `${demo.portalUrl}/privacy`
  const page = await browser.newPage()
  await page.goto(`http://${site}.localhost:${demo.port}/`)
  const address = page.url()
  await page.close()
  return address
}

async function loadOnce(address: string, config: typeof desktopConfig | undefined): Promise<Load> {
  const result = await lighthouse(address, { port, logLevel: 'error', onlyCategories: CATEGORIES }, config)
  if (result === undefined) throw new Error('Lighthouse returned no result')
  const { categories, audits, runtimeError, lighthouseVersion } = result.lhr
  if (runtimeError !== undefined) throw new Error(`Lighthouse: ${runtimeError.message}`)
  const scores = CATEGORIES.map((category) => [category, Math.round((categories[category]?.score ?? 0) * 100)])
  const shortcomings = CATEGORIES.flatMap((category) =>
    (categories[category]?.auditRefs ?? []).flatMap(({ id, weight }) => {
      const audit = audits[id]
      if (audit === undefined || weight === 0 || audit.score === null || audit.score === 1) return []
      return [`${category}: ${id} (${audit.displayValue ?? audit.title})`]
    }),
  )
  return { scores: Object.fromEntries(scores), shortcomings, version: lighthouseVersion }
}

function circumstances([subject]: readonly Subject[]): string {
  return `- Date: ${new Date().toISOString().slice(0, 10)}; commit: ${commit()}
- Lighthouse ${subject?.loads[0]?.version}; Chromium ${browser.version()}; Node ${process.version}
- Machine: ${cpus().length} × ${cpus()[0]?.model.trim()}, ${process.platform}; load average before: ${busy.toFixed(1)}
- Command: \`npm run check -- lighthouse --runs ${options.runs}\`
`
}

function table(subjects: readonly Subject[]): string {
  const rows = subjects.map((subject) => {
    const each = subject.loads.map(({ scores }) => scores.performance)
    return [subject.name, ...CATEGORIES.map((category) => score(subject, category)), each.join(', ')]
  })
  const head = ['page', 'accessibility', 'best practices', 'performance', 'performance of each run']
  return [head, ['---', '---:', '---:', '---:', '---'], ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

function readOptions(): { readonly runs: number; readonly write: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        runs: { type: 'string', default: '3' },
        write: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) {
      process.stdout.write(USAGE)
      process.exit(0)
    }
    if (!/^[1-9]$/.test(values.runs))
      throw new TypeError(`--runs must be a whole number from 1 to 9, not ${values.runs}`)
    if (skipWithoutChromium !== false) {
      process.stderr.write(`${skipWithoutChromium}\n`)
      process.exit(EXIT_CANNOT_RUN)
    }
    return { runs: Number(values.runs), write: values.write }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`)
    process.exit(2)
  }
}
