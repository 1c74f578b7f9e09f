// Runs test files as a check: skipped tests fail, with this machine's Squid or with that of other Debian releases.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT_CANNOT_RUN, type Tests } from './check.ts'
import { installSquid } from './gateway/squid-root.ts'

/** Runs Node with these arguments, and these variables in addition. @returns the exit status */
export type Spawn = (args: readonly string[], variables?: Readonly<Record<string, string>>) => Promise<number>

/** @param only these files instead of its own, one after the other */
export async function runTestFiles(work: Tests, only: readonly string[], spawn: Spawn): Promise<number> {
  const { tests, environment, isSerial, squidOf } = work
  const concurrency = isSerial || only.length > 0 ? 1 : 2
  const options = ['--test-reporter=spec', `--test-concurrency=${concurrency}`, '--test-timeout=500000']
  const args = ['scripts/run.mjs', '--test', ...options, ...(only.length > 0 ? only : tests)]
  // Otherwise skipped tests would count as passed.
  const variables = { ...environment, REQUIRE_ALL: '1' }
  if (squidOf === undefined) return await spawn(args, variables)
  const folder = mkdtempSync(join(tmpdir(), 'squid-'))
  try {
    for (const suite of squidOf) {
      const root = installSquid(suite, folder)
      if (root === undefined) return EXIT_CANNOT_RUN
      const status = await spawn(args, { ...variables, TEST_SQUID_ROOT: root })
      if (status !== 0) return status
    }
    return 0
  } finally {
    rmSync(folder, { recursive: true })
  }
}
