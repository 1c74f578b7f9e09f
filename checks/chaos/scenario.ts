// The program of a scenario: it injects faults under load and judges what clients get. Only times are tried again: a fault of the
// portal shows in each attempt, noise on the machine hardly ever twice.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT_CANNOT_RUN } from '../check.ts'
import type { Findings } from './findings.ts'

export interface Scenario {
  /** The requirement that this machine lacks; undefined when the scenario can run. */
  readonly lacks?: string | undefined
  run(options: ScenarioOptions): Promise<Findings>
}

export interface ScenarioOptions {
  /** A few seconds in place of half a minute. */
  readonly isShort: boolean
  /** For files, removed afterwards. */
  readonly folder: string
  /** Cleanup at the end of the scenario, in reverse order. */
  readonly after: (end: () => unknown) => void
}

const ATTEMPTS = 3

type Print = (text: string) => unknown
type Outcome = 'passed' | 'failed' | 'late'

/** Sets the exit status of this process. */
export async function runScenario(scenario: Scenario): Promise<void> {
  if (scenario.lacks !== undefined) {
    process.stderr.write(`${scenario.lacks}\n`)
    process.exitCode = EXIT_CANNOT_RUN
    return
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  // Each child process adds a listener.
  process.setMaxListeners(0)
  const hasPassed = await passes(scenario, process.argv.includes('--short'), (text) => process.stdout.write(text))
  process.exitCode = hasPassed ? 0 : 1
}

export async function passes(scenario: Scenario, isShort: boolean, print: Print): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await outcomeOf(scenario, isShort, print)
    if (outcome === 'passed') return true
    if (outcome === 'failed' || attempt === ATTEMPTS) return false
    print('  only timing limits were exceeded, trying again:\n')
  }
}

async function outcomeOf(scenario: Scenario, isShort: boolean, print: Print): Promise<Outcome> {
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
  return faults.length === 0 ? 'late' : 'failed'
}
