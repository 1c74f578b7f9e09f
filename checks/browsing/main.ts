// `npm run check -- browsing`: mixed browsing through the whole gateway, for a long time. No response may be unexpected, and the
// memory of engine, portal and proxy (with Squid and its helpers) must not grow.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { skipWithoutWholeGateway, startWholeGateway } from '../../test/proxy/whole-gateway.ts'
import { residentBytes } from '../../test/support/processes.ts'
import { EXIT_CANNOT_RUN } from '../check.ts'
import { growth, type Sample } from '../soak/trend.ts'
import { PLAN, startVisits } from './visits.ts'

const HELP = `Usage: npm run check -- browsing [--minutes N] [--rate N]

Visitors browse through engine, portal, terminator and Squid: sites over http
and https, downloads, uploads, exempt and unknown sites, every verdict and what
follows it. Ends with status 1 when a response is unexpected, or when engine,
portal or proxy (with Squid and its helpers) have more than 5 % more memory at
the end than after a sixth of the time.

  --minutes N  duration (60)
  --rate N     visits per second (8)
  --help       this text

Example:
  npm run check -- browsing --minutes 6
`
const SAMPLE_SECONDS = 2
const MOST_GROWTH = 0.05

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '8' },
    help: { type: 'boolean', default: false },
  },
})
const minutes = Number(values.minutes)
const rate = Number(values.rate)
if (values.help || !(minutes > 0) || !(rate > 0)) {
  process.stdout.write(HELP)
  process.exit(values.help ? 0 : 2)
}
if (skipWithoutWholeGateway) {
  process.stderr.write(`${skipWithoutWholeGateway}\n`)
  process.exit(EXIT_CANNOT_RUN)
}

const closing: (() => Promise<unknown>)[] = []
// Each child process adds a listener.
process.setMaxListeners(0)
let hasPassed = false
try {
  hasPassed = await browse()
} finally {
  for (const close of closing) await close()
}
process.exitCode = hasPassed ? 0 : 1

async function browse(): Promise<boolean> {
  const whole = await startWholeGateway({ after: (close) => void closing.unshift(close) }, PLAN)
  const { gateway, portal } = whole
  const processes = { engine: gateway.engine.process.pid, portal: portal.pid, proxy: gateway.start.pid }
  const memory = Object.entries(processes).map(([name, pid]) => ({ name, pid: pid as number, samples: [] as Sample[] }))
  const visits = startVisits(whole, rate)
  const startedAt = performance.now()
  const elapsed = () => (performance.now() - startedAt) / 1_000
  while (elapsed() < minutes * 60) {
    await sleep(SAMPLE_SECONDS * 1_000)
    for (const { pid, samples } of memory) samples.push({ at: elapsed(), value: residentBytes(pid) })
  }
  await visits.stop()

  const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((all, one) => all + one, 0)
  const list = (counts: ReadonlyMap<string, number>) => [...counts].map((pair) => pair.join(': ')).join(', ')
  const passed = whole.reached('casino.example')
  const isRunning = [gateway.engine.process, gateway.start].every(({ exitCode, signalCode }) => exitCode === signalCode)
  const checks: [name: string, figure: string, isGood: boolean][] = [
    ['expected responses', `${sum(visits.good)} (${list(visits.good)})`, sum(visits.good) > 0],
    ['unexpected responses', `${sum(visits.bad)} ${list(visits.bad)}`, sum(visits.bad) === 0],
    ['requests to the blocked site', `${passed}`, passed === 0],
    ['engine and proxy', isRunning ? 'still run' : 'have ended', isRunning],
    ...memory.map(({ name, samples }): [string, string, boolean] => {
      const share = growth(samples, minutes * 60)
      const now = ((samples.at(-1)?.value ?? 0) / 2 ** 20).toFixed(1)
      return [`memory of ${name}`, `${now} MiB, grown by ${(share * 100).toFixed(1)} %`, share <= MOST_GROWTH]
    }),
  ]
  for (const [name, figure, isGood] of checks)
    process.stdout.write(`${isGood ? 'ok    ' : 'FAILED'} ${name}: ${figure}\n`)
  return checks.every(([, , isGood]) => isGood)
}
