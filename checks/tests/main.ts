// Runs the check that is a test file of the given name. Skipped tests count as failures.
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

function run({ name, files = [join(import.meta.dirname, `${name}.test.ts`)], environment, lacks }: Suite): number {
  if (lacks !== undefined) {
    process.stderr.write(`${lacks}\n`)
    return EXIT_CANNOT_RUN
  }
  const args = [
    'scripts/run.mjs',
    '--test',
    '--test-reporter=spec',
    '--test-concurrency=2',
    '--test-timeout=300000',
    ...files,
  ]
  // Otherwise skipped tests would count as passed.
  const env = { ...process.env, ...environment, REQUIRE_ALL: '1' }
  return spawnSync(process.execPath, args, { stdio: 'inherit', env }).status ?? 1
}
