// `npm run check -- soak`: mixed traffic and faults against one portal process, for a long time. Memory and descriptors
// must not grow, no response may be wrong, and the log must contain nothing unexpected.
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startEngineProcess } from '../../test/support/engine-process.ts'
import { nodeFlags } from '../../test/support/node-flags.ts'
import { spawnPortal } from '../../test/support/portal-process.ts'
import { startPostgres } from '../../test/support/postgres-server.ts'
import { until } from '../../test/support/until.ts'
import { createFaults } from './faults.ts'
import { startTraffic } from './traffic.ts'
import { rise, type Sample, slope } from './trend.ts'

const HELP = `Usage: npm run check -- soak [--minutes N] [--rate N]

Sends mixed traffic (every verdict, rejected payloads, the certificate page,
acknowledgements) to a portal with the engine and PostgreSQL, and
injects a fault every minute: the engine is suspended for 8 s, or the database
crashes for 3 s. docs/reliability.md explains the output.

  --minutes N  duration, half of it for warming up (30)
  --rate N     requests per second (100)
  --help       this text

Example:
  npm run check -- soak --minutes 5
`
const SAMPLE_SECONDS = 5
const FAULT_SECONDS = 60
const ENGINE_SUSPENDED_SECONDS = 8
const DATABASE_DOWN_SECONDS = 3
/** Bytes per second: one MiB in ten minutes. */
const MAX_SLOPE = 2 ** 20 / 600
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
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '100' },
    help: { type: 'boolean', default: false },
  },
})
const minutes = Number(values.minutes)
const rate = Number(values.rate)
if (values.help || !(minutes > 0) || !(rate >= 1)) {
  process.stdout.write(HELP)
  process.exit(values.help ? 0 : 2)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const folder = mkdtempSync(join(tmpdir(), 'portal-soak-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const database = await startPostgres({})
const engine = await startEngineProcess(folder)
const logFile = join(folder, 'portal.log')
const portal = startPortal()
const port = await until(() => {
  const log = readFileSync(logFile, 'utf8')
  if (portal.exitCode !== null) throw new Error(`the portal exited: ${log}`)
  return /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(log)?.[1]
}, 30)
const startedAt = performance.now()
const elapsed = () => (performance.now() - startedAt) / 1000
const injected = createFaults(() => performance.now())
const traffic = startTraffic(Number(port), engine, rate, injected)
const measured: Record<'rss' | 'heap' | 'descriptors', Sample[]> = { rss: [], heap: [], descriptors: [] }
const faults = injectFaults()
while (elapsed() < minutes * 60 && portal.exitCode === null) {
  await sleep(SAMPLE_SECONDS * 1000)
  await measure()
}
const faultCount = await faults
await traffic.stop()
const isAlive = portal.exitCode === null
portal.kill('SIGTERM')
const [status] = isAlive ? await once(portal, 'exit') : [portal.exitCode]
await engine.stop()
await database.remove()
process.exitCode = report() ? 0 : 1

function startPortal(): ChildProcess {
  const log = openSync(logFile, 'a')
  const { portalVariables } = engine
  const published = dirname(portalVariables.ENGINE_CA_FILE as string)
  const flags = nodeFlags({ read: [folder, published, dirname(PROBE)], write: [] })
  const variables = {
    ...portalVariables,
    GATEWAY_CAPTIVE_CA_PATH: portalVariables.ENGINE_CA_FILE as string,
    GATEWAY_CAPTIVE_DATABASE_URL: database.url,
    GATEWAY_CAPTIVE_SECRET_KEY: randomBytes(32).toString('base64url'),
  }
  const child = spawnPortal(variables, {
    nodeOptions: ['--expose-gc', ...YOUNG_GENERATION, '--import', PROBE, ...flags],
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  process.on('exit', () => child.kill('SIGKILL'))
  return child
}

async function measure(): Promise<void> {
  portal.send({})
  const [{ rss, heapUsed }] = await once(portal, 'message')
  const at = elapsed()
  measured.rss.push({ at, value: rss })
  measured.heap.push({ at, value: heapUsed })
  if (process.platform !== 'linux') return
  measured.descriptors.push({ at, value: readdirSync(`/proc/${portal.pid}/fd`).length })
}

/** @returns the number of faults */
async function injectFaults(): Promise<number> {
  for (let count = 0; ; count++) {
    const dueAt = (count + 0.5) * FAULT_SECONDS
    // The last fault must be over before the end.
    if (dueAt + ENGINE_SUSPENDED_SECONDS + 10 > minutes * 60) return count
    await sleep(Math.max(0, dueAt - elapsed()) * 1000)
    injected.begin(count % 2 === 0 ? 'engine' : 'database')
    if (count % 2 === 0) {
      process.kill(engine.pid, 'SIGSTOP')
      await sleep(ENGINE_SUSPENDED_SECONDS * 1000)
      process.kill(engine.pid, 'SIGCONT')
    } else {
      await database.stop('immediate')
      await sleep(DATABASE_DOWN_SECONDS * 1000)
      await database.start()
    }
    injected.end()
  }
}

/** @returns whether every criterion is met */
function report(): boolean {
  // V8 compiles hot functions for about ten minutes: by then its memory for code has grown from 1.5 to 4 MiB.
  const warmUp = (minutes * 60) / 2
  const settled = (samples: readonly Sample[]) => samples.filter(({ at }) => at >= warmUp)
  const [rss, heap, descriptors] = [settled(measured.rss), settled(measured.heap), settled(measured.descriptors)]
  const unexpected = readFileSync(logFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !isExpected(line))
  const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((all, count) => all + count, 0)
  const list = (counts: ReadonlyMap<string, number>) =>
    [...counts]
      .toSorted()
      .map((pair) => pair.join(': '))
      .join(', ')
  const perTenMinutes = (samples: readonly Sample[]) =>
    `${((slope(samples) * 600) / 2 ** 20).toFixed(2)} MiB in 10 minutes`
  const now = (samples: readonly Sample[]) => `${((samples.at(-1)?.value ?? 0) / 2 ** 20).toFixed(1)} MiB`
  const checks: [name: string, figure: string, isGood: boolean][] = [
    ['right responses', `${sum(traffic.good)} (${list(traffic.good)})`, KINDS.every((kind) => traffic.good.has(kind))],
    ['wrong responses', `${sum(traffic.bad)} ${list(traffic.bad)}`, sum(traffic.bad) === 0],
    // The first minute has room for one.
    ['faults', `${faultCount}`, faultCount > 0 || minutes < 1],
    ['resident memory', `${now(rss)}, ${perTenMinutes(rss)}`, slope(rss) < MAX_SLOPE],
    ['heap in use', `${now(heap)}, ${perTenMinutes(heap)}`, slope(heap) < MAX_SLOPE],
    [
      'descriptors',
      `${descriptors.at(-1)?.value ?? 'unknown'}, up by ${rise(descriptors)}`,
      rise(descriptors) <= MAX_DESCRIPTOR_RISE,
    ],
    ['unexpected log lines', `${unexpected.length} ${unexpected.slice(0, 3).join(' ')}`, unexpected.length === 0],
    ['exit', `status ${status}`, isAlive && status === 0],
  ]
  for (const [name, figure, isGood] of checks)
    process.stdout.write(`${isGood ? 'ok    ' : 'FAILED'} ${name}: ${figure}\n`)
  const hasPassed = checks.every(([, , isGood]) => isGood)
  process.stdout.write(`${minutes} minutes, after ${warmUp} s of warming up: ${hasPassed ? 'passed' : 'FAILED'}\n`)
  return hasPassed
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
