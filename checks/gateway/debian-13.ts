// `npm run check -- gateway-debian-13`: the tests of the proxy with the Squid of Debian 13, on a machine that may have another.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT_CANNOT_RUN } from '../check.ts'
import { installSquid } from './squid-root.ts'

const HELP = `Usage: npm run check -- gateway-debian-13

Installs the Squid of Debian 13 in a folder with mmdebstrap, and runs
test/proxy and checks/gateway with it. Needs root.

Example:
  npm run check -- gateway-debian-13
`

process.exitCode = process.argv.includes('--help') ? printHelp() : run()

function printHelp(): number {
  process.stdout.write(HELP)
  return 0
}

function run(): number {
  if (process.getuid?.() !== 0 || spawnSync('mmdebstrap', ['--version']).status !== 0) {
    process.stderr.write('it needs root on Linux, and mmdebstrap: apt-get install mmdebstrap\n')
    return EXIT_CANNOT_RUN
  }
  const folder = mkdtempSync(join(tmpdir(), 'gateway-debian-13-'))
  try {
    const env = { ...process.env, REQUIRE_ALL: '1', TEST_SQUID_ROOT: installSquid('trixie', folder) }
    const options = ['--test-reporter=spec', '--test-concurrency=2', '--test-timeout=300000']
    const files = ['test/proxy/*.test.ts', 'checks/gateway/*.test.ts']
    const args = ['scripts/run.mjs', '--test', ...options, ...files]
    return spawnSync(process.execPath, args, { stdio: 'inherit', env }).status ?? 1
  } finally {
    rmSync(folder, { recursive: true })
  }
}
