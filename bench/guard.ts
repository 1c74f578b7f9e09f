// `npm run check -- guard`: /blocked in 24 alternating rounds with a bare node:http server. It fails when the ratio is
// clearly below the one in docs/performance.json. It compares CPU time per request, which other work on the machine
// affects least, and no absolute figure.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findCores, pin } from '../test/support/processes.ts'
import { startEnvironment } from './environment.ts'
import { interval, percent } from './format.ts'
import { holdsUp, MIN_SHARE } from './guard-rule.ts'
import { readRatio, writeRatio } from './record.ts'
import { navigations } from './requests.ts'
import { ratiosToBareServer } from './results.ts'
import { runScenario } from './run.ts'
import { againstBare, now, type Scenario } from './scenarios.ts'
import { estimateOf, LEAST_ROUNDS } from './statistics.ts'

const OPTIONS = { seconds: 0.7, rounds: LEAST_ROUNDS, connections: 32, quick: false }

const BLOCKED: Scenario = {
  name: 'blocked',
  title: '`/blocked`',
  setUp: (environment, options) => againstBare(environment, options, navigations('block', now(), environment.key)),
}

const HELP = `Usage: npm run check -- guard [--write]

Compares /blocked with a bare node:http server, in ${LEAST_ROUNDS} alternating rounds, and
exits with status 1 when the whole 95 % interval of the median ratio is twice
below ${percent(MIN_SHARE)} of the ratio in docs/performance.json.

  --write  records the ratio and its rounds there
  --help   this text

Example:
  npm run check -- guard
`

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

try {
  const { values } = parseArgs({
    options: { write: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  })
  if (values.help) process.stdout.write(HELP, () => process.exit(0))
  else process.exit((await (values.write ? record() : guard())) ? 0 : 1)
} catch (error) {
  log((error as Error).message)
  process.exit(1)
}

async function guard(): Promise<boolean> {
  const recorded = readRatio()
  const { median } = recorded.toBareServer
  log(`Recorded on ${recorded.date} (${recorded.commit}): ${percent(median)} of bare node:http, by CPU per request.`)
  const measure = async () => {
    try {
      return estimateOf(await measureRatios())
    } catch (error) {
      // When the machine stalls for half a second, the portal responds with 503.
      log((error as Error).message)
      return estimateOf([])
    }
  }
  const isHeld = await holdsUp(median, measure)
  log(isHeld ? 'The ratio is within the limit.' : `The ratio is below ${percent(MIN_SHARE)} of the recorded ratio.`)
  return isHeld
}

async function record(): Promise<boolean> {
  writeRatio(await measureRatios())
  return true
}

/** Measures the ratio of each round, with new servers. */
async function measureRatios(): Promise<readonly number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'portal-guard-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const cores = findCores()
  if (cores !== undefined) pin(process.pid, cores.load)
  const environment = await startEnvironment(folder, cores)
  const result = await runScenario(BLOCKED, environment, OPTIONS, () => {})
  await environment.portal.stop()
  await environment.engine.stop()
  const ratios = ratiosToBareServer(result)
  log(`Now: ${interval(estimateOf(ratios), percent)}`)
  return ratios
}

function log(text: string): void {
  process.stderr.write(`${text}\n`)
}
