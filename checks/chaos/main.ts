// The fault-injection checks of `npm run check`: one scenario, its figures and whether it passed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { EXIT_CANNOT_RUN } from '../check.ts'
import type { Findings, Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios.ts'

// A fault of the portal shows in each attempt; noise on the machine hardly ever shows twice.
const ATTEMPTS = 3

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

// Each child process adds a listener.
process.setMaxListeners(0)
process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { short: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  })
  const scenario = SCENARIOS.find(({ name }) => name === positionals[0])
  if (scenario === undefined || positionals.length > 1) {
    process.stderr.write(`name one scenario: ${SCENARIOS.map(({ name }) => name).join(', ')}\n`)
    return 2
  }
  if (values.help) return print(usage(scenario))
  if (scenario.lacks !== undefined) {
    process.stderr.write(`${scenario.lacks}\n`)
    return EXIT_CANNOT_RUN
  }
  return (await passes(scenario, values.short)) ? 0 : 1
}

function usage({ name, about }: Scenario): string {
  return `Usage: npm run check -- ${name} [--short]

${about.replace(/(.{1,79})(?: |$)/g, '$1\n')}
Runs engine, portal, terminator or database as processes on loopback. Prints
figures; exits with status 1 when one of them breaks a promise.

  --short  a few seconds per fault instead of half a minute
  --help   this text

Example:
  npm run check -- ${name} --short
`
}

type Outcome = 'passed' | 'failed' | 'failed on a busy machine' | 'late'

async function passes(scenario: Scenario, isShort: boolean): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await outcomeOf(scenario, isShort)
    if (outcome === 'passed') return true
    if (outcome === 'failed' || attempt === ATTEMPTS) return false
    print(`  ${outcome === 'late' ? 'only timing limits were exceeded' : 'the machine was busy'}, trying again:\n`)
  }
}

async function outcomeOf(scenario: Scenario, isShort: boolean): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'chaos-'))
  const ends: (() => unknown)[] = []
  const startedAt = performance.now()
  let findings: Findings | undefined
  const faults: string[] = []
  try {
    findings = await scenario.run({ isShort, folder, after: (end) => ends.unshift(end) })
    faults.push(...findings.faults)
  } catch (error) {
    faults.push((error as Error).stack ?? String(error))
  }
  for (const end of ends) {
    try {
      await end()
    } catch (error) {
      faults.push(`cleanup failed: ${(error as Error).message}`)
    }
  }
  rmSync(folder, { recursive: true, force: true })
  for (const [name, figure] of findings?.figures ?? []) print(`  ${name.padEnd(34)}${figure}\n`)
  const late = findings?.late ?? []
  const hasPassed = faults.length + late.length === 0
  for (const fault of [...faults, ...late]) print(`  ! ${fault}\n`)
  print(`  ${hasPassed ? 'passed' : 'FAILED'} (${((performance.now() - startedAt) / 1000).toFixed(0)} s)\n`)
  if (hasPassed) return 'passed'
  if (faults.length === 0) return 'late'
  return findings?.isMachineBusy ? 'failed on a busy machine' : 'failed'
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}
