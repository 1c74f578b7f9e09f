// Nobody gets around the gateway: the table of table.test.ts, and what one address can do to the others, on the Squid of Debian 12
// and on that of Debian 13.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { EXIT_CANNOT_RUN } from '../check.ts'
import { installSquid } from '../gateway/squid-root.ts'

const SUITES = ['bookworm', 'trixie']
const TABLE = join(import.meta.dirname, 'table.test.ts')
const ONE_CLIENT = join(import.meta.dirname, '../gateway/one-client.test.ts')
const HELP = `Usage: npm run check -- bypass [--short]

Attacks the proxy as it ships: no byte may reach a site without a decision of
the engine, and one address may not slow the others. Uses the Squid of Debian 12
and that of Debian 13, for which mmdebstrap installs small systems.

Options:
  --short  half of the table of bypasses, on the Squid of this machine

Example:
  npm run check -- bypass --short
`

const { values } = parseArgs({ options: { short: { type: 'boolean' }, help: { type: 'boolean' } } })
process.exitCode = values.help ? printHelp() : run(values.short ?? false)

function printHelp(): number {
  process.stdout.write(HELP)
  return 0
}

function run(isShort: boolean): number {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    return cannotRun('it creates network namespaces: run it as root on Linux')
  }
  if (isShort) return attack([TABLE], { BYPASS_TABLE: 'half' })
  if (spawnSync('mmdebstrap', ['--version']).status !== 0) return cannotRun('apt-get install mmdebstrap')
  const folder = mkdtempSync(join(tmpdir(), 'bypass-'))
  try {
    return (
      SUITES.map((suite) => attack([TABLE, ONE_CLIENT], { TEST_SQUID_ROOT: installSquid(suite, folder) })).find(
        Boolean,
      ) ?? 0
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function attack(files: readonly string[], environment: Readonly<Record<string, string>>): number {
  // Otherwise skipped tests would count as passed.
  const env = { ...process.env, ...environment, REQUIRE_ALL: '1' }
  const args = ['scripts/run.mjs', '--test', '--test-concurrency=1', '--test-reporter=spec', ...files]
  return spawnSync(process.execPath, args, { stdio: 'inherit', env }).status ?? 1
}

function cannotRun(why: string): number {
  process.stderr.write(`${why}\n`)
  return EXIT_CANNOT_RUN
}
