// `npm run check -- soak`: the whole gateway for a long time, with visitors behind Squid, a hundred requests a second to its portal,
// and a fault every minute. Memory and descriptors must not grow, no response may be wrong, and nothing unexpected is logged.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { skipWithoutWholeGateway, startWholeGateway } from '../../test/proxy/whole-gateway.ts'
import { startPostgres } from '../../test/support/postgres-server.ts'
import { residentBytes } from '../../test/support/processes.ts'
import { EXIT_CANNOT_RUN } from '../check.ts'
import { createFaults } from './faults.ts'
import { startTraffic } from './traffic.ts'
import { growth, rise, type Sample, slope } from './trend.ts'
import { PLAN, startVisits } from './visits.ts'

const HELP = `Usage: npm run check -- soak [--minutes N] [--rate N] [--visits N]

Visitors browse through engine, portal, terminator and Squid: sites over http
and https, downloads, uploads, exempt and unknown sites, every verdict and what
follows it. Meanwhile the portal gets mixed requests (every verdict, rejected
payloads, the certificate page, acknowledgements). Every minute the engine is
suspended for 8 s, or PostgreSQL crashes for 3 s.

It passes without a wrong response (during a fault and for ten seconds after it,
acknowledgements and visits may fail), a request to a blocked site, and an error
in the log. In the second half the portal may need less than 1 MiB more memory
in ten minutes and two more descriptors, engine and proxy 5 % more memory.

  --minutes N  duration, half of it for warming up (20)
  --rate N     requests per second to the portal (100)
  --visits N   visits per second through Squid (8)
  --help       this text

Example:
  npm run check -- soak --minutes 6
`
const SAMPLE_SECONDS = 5
const FAULT_SECONDS = 60
const ENGINE_SUSPENDED_SECONDS = 8
const DATABASE_DOWN_SECONDS = 3
/** Bytes per second: one MiB in ten minutes. */
const MAX_SLOPE = 2 ** 20 / 600
/** Of engine and proxy, from a sixth of the time to the end. */
const MAX_GROWTH = 0.05
/** Connections to engine and database vary; a leak with each fault would add up to more. */
const MAX_DESCRIPTOR_RISE = 2
// Logged while the database is down; while the engine is suspended, an acknowledgement's outcome is `late`.
const EXPECTED_ERRORS = ['acceptance stays pending', 'acceptance could not be recorded']
// By default V8 resizes the young generation between 1 and 52 MiB, as requests come in bursts: a rise that says nothing.
const YOUNG_GENERATION = ['--min-semi-space-size=16', '--max-semi-space-size=16']
/** Without these responses the soak proves nothing. */
const KINDS = ['blocked page 200', 'policy 200', 'acceptance 302', 'wrong code 403', 'right code 302']
const PROBE = fileURLToPath(new URL('probe.js', import.meta.url))

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    rate: { type: 'string', default: '100' },
    visits: { type: 'string', default: '8' },
    help: { type: 'boolean', default: false },
  },
})
const [minutes, rate, visitRate] = [values.minutes, values.rate, values.visits].map(Number) as [number, number, number]
if (values.help || !(minutes > 0) || !(rate >= 1) || !(visitRate > 0)) {
  process.stdout.write(HELP)
  process.exit(values.help ? 0 : 2)
}
if (skipWithoutWholeGateway) {
  process.stderr.write(`${skipWithoutWholeGateway}\n`)
  process.exit(EXIT_CANNOT_RUN)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const closing: (() => unknown)[] = []
// Each child process adds a listener.
process.setMaxListeners(0)
try {
  process.exitCode = (await soak()) ? 0 : 1
} finally {
  for (const close of closing) await close()
}

/** @returns whether every criterion is met */
async function soak(): Promise<boolean> {
  const database = await startPostgres({})
  closing.unshift(() => database.remove())
  const whole = await startWholeGateway(
    { after: (close) => closing.unshift(close) },
    {
      ...PLAN,
      portal: (folder) => ({
        variables: { GATEWAY_CAPTIVE_DATABASE_URL: database.url, SOAK_MEMORY: join(folder, 'memory') },
        nodeOptions: ['--expose-gc', ...YOUNG_GENERATION, '--import', PROBE],
      }),
    },
  )
  const { gateway, portal, folder } = whole
  const { engine } = gateway
  const startedAt = performance.now()
  const elapsed = () => (performance.now() - startedAt) / 1000
  const injected = createFaults(() => performance.now())
  const traffic = startTraffic(portal.port, engine.issue, rate, injected)
  const visits = startVisits(whole, visitRate, injected)
  const processes = { engine: engine.process.pid as number, proxy: gateway.start.pid as number }
  const memory = Object.entries(processes).map(([name, pid]) => ({ name, pid, samples: [] as Sample[] }))
  const descriptors: Sample[] = []
  const faults = injectFaults()
  while (elapsed() < minutes * 60) {
    await sleep(SAMPLE_SECONDS * 1000)
    for (const { pid, samples } of memory) samples.push({ at: elapsed(), value: residentBytes(pid) })
    descriptors.push({ at: elapsed(), value: readdirSync(`/proc/${portal.pid}/fd`).length })
  }
  const faultCount = await faults
  await Promise.all([traffic.stop(), visits.stop()])

  // V8 compiles hot functions for about ten minutes: by then its memory for code has grown from 1.5 to 4 MiB.
  const warmUp = (minutes * 60) / 2
  const settled = (samples: readonly Sample[]) => samples.filter(({ at }) => at >= warmUp)
  const lines = (file: string) => readFileSync(join(folder, file), 'utf8').trimEnd().split('\n')
  const probed = lines('memory').map((line) => JSON.parse(line))
  const ofPortal = (what: string) => settled(probed.map((sample) => ({ at: sample.at, value: sample[what] })))
  const [rss, heap, open] = [ofPortal('rss'), ofPortal('heapUsed'), settled(descriptors)]
  const unexpected = lines('portal.log').filter((line) => line !== '' && !isExpected(line))
  const passed = whole.reached('casino.example')
  const isRunning = [engine.process, gateway.start].every(({ exitCode, signalCode }) => exitCode === signalCode)
  const checks: [name: string, figure: string, isGood: boolean][] = [
    ['right responses', counted(traffic.good), KINDS.every((kind) => traffic.good.has(kind))],
    ['wrong responses', counted(traffic.bad), sum(traffic.bad) === 0],
    ['visits as expected', counted(visits.good), sum(visits.good) > sum(visits.disturbed)],
    ['visits during a fault', counted(visits.disturbed), true],
    ['other visits', counted(visits.bad), sum(visits.bad) === 0],
    ['requests to the blocked site', `${passed}`, passed === 0],
    // The first minute has room for one.
    ['faults', `${faultCount}`, faultCount > 0 || minutes < 1],
    ['memory of portal', trend(rss), slope(rss) < MAX_SLOPE],
    ['its heap', trend(heap), slope(heap) < MAX_SLOPE],
    ['its descriptors', `${open.at(-1)?.value}, up by ${rise(open)}`, rise(open) <= MAX_DESCRIPTOR_RISE],
    ...memory.map(({ name, samples }): [string, string, boolean] => {
      const share = growth(samples, minutes * 60)
      return [`memory of ${name}`, `${mebibytes(samples)}, grown by ${(share * 100).toFixed(1)} %`, share <= MAX_GROWTH]
    }),
    ['unexpected log lines', `${unexpected.length} ${unexpected.slice(0, 3).join(' ')}`, unexpected.length === 0],
    ['engine and proxy', isRunning ? 'still run' : 'have ended', isRunning],
  ]
  for (const [name, figure, isGood] of checks)
    process.stdout.write(`${isGood ? 'ok    ' : 'FAILED'} ${name}: ${figure}\n`)
  const hasPassed = checks.every(([, , isGood]) => isGood)
  process.stdout.write(`${minutes} minutes, after ${warmUp} s of warming up: ${hasPassed ? 'passed' : 'FAILED'}\n`)
  return hasPassed

  /** @returns the number of faults */
  async function injectFaults(): Promise<number> {
    for (let count = 0; ; count++) {
      const dueAt = (count + 0.5) * FAULT_SECONDS
      // The last fault must be over before the end.
      if (dueAt + ENGINE_SUSPENDED_SECONDS + 10 > minutes * 60) return count
      await sleep(Math.max(0, dueAt - elapsed()) * 1000)
      injected.begin(count % 2 === 0 ? 'engine' : 'database')
      if (count % 2 === 0) {
        engine.process.kill('SIGSTOP')
        await sleep(ENGINE_SUSPENDED_SECONDS * 1000)
        engine.process.kill('SIGCONT')
      } else {
        await database.stop('immediate')
        await sleep(DATABASE_DOWN_SECONDS * 1000)
        await database.start()
      }
      injected.end()
    }
  }
}

function sum(counts: ReadonlyMap<string, number>): number {
  return counts.values().reduce((all, count) => all + count, 0)
}

function counted(counts: ReadonlyMap<string, number>): string {
  const list = [...counts].toSorted().map((pair) => pair.join(': '))
  return `${sum(counts)} (${list.join(', ')})`
}

function mebibytes(samples: readonly Sample[]): string {
  return `${((samples.at(-1)?.value ?? 0) / 2 ** 20).toFixed(1)} MiB`
}

function trend(samples: readonly Sample[]): string {
  return `${mebibytes(samples)}, ${((slope(samples) * 600) / 2 ** 20).toFixed(2)} MiB in 10 minutes`
}

/** Other errors are faults of the portal; a line that is not JSON comes from Node. */
function isExpected(line: string): boolean {
  try {
    const { level, msg, outcome } = JSON.parse(line)
    return level < 50 || outcome === 'late' || EXPECTED_ERRORS.includes(msg)
  } catch {
    return false
  }
}
