// The checks that are test files: runs the one of that name, and everything it needs must be there.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { EXIT_CANNOT_RUN } from '../check.ts'
import { SUITES, type Suite } from './suites.ts'

const [name, option] = process.argv.slice(2)
const suite = SUITES.find((one) => one.name === name)
process.exitCode = suite === undefined ? rejectName() : option === '--help' ? printHelp(suite) : run(suite)

function rejectName(): number {
  process.stderr.write(`name one suite: ${SUITES.map(({ name }) => name).join(', ')}\n`)
  return 2
}

function printHelp({ name, about }: Suite): number {
  process.stdout.write(`Usage: npm run check -- ${name}

${about.replace(/(.{1,79})(?: |$)/g, '$1\n')}
Ends with status 1 when a test fails.

Example:
  npm run check -- ${name}
`)
  return 0
}

function run({ name, lacks }: Suite): number {
  if (lacks !== undefined) {
    process.stderr.write(`${lacks}\n`)
    return EXIT_CANNOT_RUN
  }
  const file = join(import.meta.dirname, `${name}.test.ts`)
  const words = ['--test', '--test-reporter=spec', '--test-timeout=300000', file]
  // A skipped test would pass for a check that has run.
  const env = { ...process.env, REQUIRE_ALL: '1' }
  return spawnSync(process.execPath, words, { stdio: 'inherit', env }).status ?? 1
}
