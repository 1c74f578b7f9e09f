// The fault-injection checks of `npm run check`: runs one scenario.
import { parseArgs } from 'node:util'
import { EXIT_CANNOT_RUN } from '../check.ts'
import { passes } from './attempts.ts'
import type { Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios.ts'

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
  return (await passes(scenario, values.short, print)) ? 0 : 1
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

function print(text: string): number {
  process.stdout.write(text)
  return 0
}
