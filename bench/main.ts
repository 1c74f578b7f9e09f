// `npm run bench`: the throughput of one core, compared with bare Node and with other servers.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findCores, pin } from '../test/support/processes.ts'
import { measureEngine } from './engine/measure.ts'
import { startEnvironment } from './environment.ts'
import { measureGateway } from './gateway/measure.ts'
import { type Options, readOptions, usage } from './options.ts'
import { circumstances, writeIntoDocument, writeRounds } from './record.ts'
import { gatewaySection, report, summary } from './report.ts'
import type { Results, ScenarioResult } from './results.ts'
import { runScenario } from './run.ts'
import { SCENARIOS } from './scenarios.ts'
import { measureStarts } from './starts.ts'

const NAMES = [...SCENARIOS.map(({ name }) => name), 'gateway', 'cold-start']

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

try {
  const options = readOptions(process.argv.slice(2), NAMES)
  const text = options === undefined ? usage(NAMES) : await bench(options)
  process.stdout.write(text, () => process.exit(0))
} catch (error) {
  log((error as Error).message)
  process.exit(1)
}

/** Runs everything. @returns the Markdown */
async function bench(options: Options): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'portal-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const cores = findCores()
  if (cores !== undefined) pin(process.pid, cores.load)
  const conditions = circumstances(options, cores)
  const environment = await startEnvironment(folder, cores)
  const isWanted = (name: string) => options.scenarios.includes(name)

  const notes: string[] = []
  const note = (line: string) => {
    log(line)
    notes.push(line)
  }
  const scenarios: ScenarioResult[] = []
  for (const scenario of SCENARIOS.filter(({ name }) => isWanted(name))) {
    scenarios.push(await runScenario(scenario, environment, options, log))
  }
  const results: Results = {
    scenarios,
    starts: isWanted('cold-start') ? await measureStarts(environment, options.rounds) : [],
    engine: isWanted('engine') ? await measureEngine(environment, options, log) : undefined,
    gateway: isWanted('gateway') ? await measureGateway(environment, options, note) : undefined,
    notes,
  }
  if (options.write) record(results, conditions, options.isGatewayOnly)
  return `${conditions}\n${report(results)}`
}

function record(results: Results, conditions: string, isGatewayOnly: boolean): void {
  const { gateway } = results
  writeRounds(results, isGatewayOnly)
  if (gateway !== undefined) {
    writeIntoDocument('npm run bench -- --scenario gateway', `${conditions}\n${gatewaySection(gateway)}`)
  }
  if (isGatewayOnly) return
  writeIntoDocument('npm run bench', `${conditions}\n${summary(results)}`)
}

function log(text: string): void {
  process.stderr.write(`${text}\n`)
}
