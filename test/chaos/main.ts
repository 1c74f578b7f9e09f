// npm run chaos: faults on purpose, figures, and a verdict on each.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Findings, Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios.ts'

const USAGE = `Usage: npm run chaos -- [options] [scenario …]

Runs engine, portal, terminator and database as processes on loopback and does
to them what networks, machines and people do. Prints figures and a verdict for
each scenario; ends with status 1 when one of them failed.

  --short   a few seconds in place of half a minute each, without those marked *
  --help    this text

Scenarios:
${SCENARIOS.map(({ name, about, isLong }) => `  ${name}${isLong ? ' *' : ''}\n${indented(about)}`).join('')}
Examples:
  npm run chaos -- --short
  npm run chaos -- overload rolling-stop
`

// What a fault does to pages it does each time; what the machine does, hardly ever twice.
const ATTEMPTS = 3

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

// Every process that is started is ended with this one.
process.setMaxListeners(0)
process.exitCode = await main(process.argv.slice(2))

async function main(words: readonly string[]): Promise<number> {
  let parsed: { isShort: boolean; wanted: readonly Scenario[] }
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { short: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    })
    if (values.help) return say(USAGE)
    parsed = { isShort: values.short, wanted: chosen(positionals, values.short) }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`)
    return 1
  }
  const failed: string[] = []
  const { isShort, wanted } = parsed
  for (const scenario of wanted) {
    if (!(await passes(scenario, isShort))) failed.push(scenario.name)
  }
  say(failed.length === 0 ? '\nall scenarios passed\n' : `\nFAILED: ${failed.join(', ')}\n`)
  return failed.length === 0 ? 0 : 1
}

/** @throws {Error} for a name that there is not */
function chosen(names: readonly string[], isShort: boolean): readonly Scenario[] {
  if (names.length === 0) return SCENARIOS.filter(({ isLong }) => !(isShort && isLong))
  return names.map((name) => {
    const found = SCENARIOS.find((scenario) => scenario.name === name)
    if (found === undefined) throw new Error(`there is no scenario ${name}`)
    return found
  })
}

type Outcome = 'passed' | 'failed' | 'failed on a busy machine' | 'late'

async function passes(scenario: Scenario, isShort: boolean): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await outcomeOf(scenario, isShort)
    if (outcome === 'passed') return true
    if (outcome === 'failed' || attempt === ATTEMPTS) return false
    say(`  ${outcome === 'late' ? 'nothing but times' : 'the machine was busy with something else'}, so once more:\n`)
  }
}

async function outcomeOf(scenario: Scenario, isShort: boolean): Promise<Outcome> {
  say(`\n${scenario.name}: ${scenario.about}\n`)
  if (scenario.lacks !== undefined) {
    say(`  skipped: ${scenario.lacks}\n`)
    return process.env.REQUIRE_ALL === '1' ? 'failed' : 'passed'
  }
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
      faults.push(`at the end: ${(error as Error).message}`)
    }
  }
  rmSync(folder, { recursive: true, force: true })
  for (const [name, figure] of findings?.figures ?? []) say(`  ${name.padEnd(30)}${figure}\n`)
  const late = findings?.late ?? []
  const isWell = faults.length + late.length === 0
  for (const fault of [...faults, ...late]) say(`  ! ${fault}\n`)
  say(`  ${isWell ? 'passed' : 'FAILED'} (${((performance.now() - startedAt) / 1000).toFixed(0)} s)\n`)
  if (isWell) return 'passed'
  if (faults.length === 0) return 'late'
  return findings?.isMachineBusy ? 'failed on a busy machine' : 'failed'
}

function say(text: string): number {
  process.stdout.write(text)
  return 0
}

/** On lines of at most 80 characters. */
function indented(text: string): string {
  return text.replace(/(.{1,74})(?: |$)/g, '      $1\n')
}
