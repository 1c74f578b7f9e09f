// A pipe in place of the policy file or of a group's file stopped all decisions at the next reload: the engine waited for somebody to
// write into it. A device was read until memory ended, and a file of 100 MB held decisions for a minute. Since 2026-11-23, when the
// engine began to reload a changed policy; found by an attack. Now only regular files of at most 16 MiB are read.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { replaceFile } from '../support/certificates.ts'
import { policyFolder } from '../support/policy-engine.ts'
import { until } from '../support/until.ts'

const POLICY = `[groups]
staff = { file = "staff.txt" }
[[rules]]
name = "gambling"
match = ["casino.example"]
action = "block"
`

const REPLACEMENTS: Readonly<Record<string, (path: string) => void>> = {
  'a pipe': (path) => void execFileSync('mkfifo', [path]),
  'a device without an end': (path) => symlinkSync('/dev/zero', path),
  'a folder': (path) => void execFileSync('mkdir', [path]),
  'a file of 20 MB': (path) => writeFileSync(path, '#\n'.repeat(10_000_000)),
}

describe('the engine still decides, by the policy of before', { timeout: 120_000 }, () => {
  for (const [what, replace] of Object.entries(REPLACEMENTS)) {
    for (const name of ['policy.toml', 'staff.txt']) {
      test(`${what} in place of ${name}`, async (t) => {
        const { folder, config, start } = policyFolder(t, POLICY)
        const staff = join(folder, 'staff.txt')
        writeFileSync(staff, 'anna\n')
        const engine = await start()
        const path = name === 'policy.toml' ? config : staff
        rmSync(path)
        replace(path)
        const kept = () => engine.lines().find(({ msg, problems }) => msg === 'policy kept' && String(problems) !== '')
        await until(kept, 10)
        assert.match(String(kept()?.problems), /not a regular file|more than 16 MiB|EISDIR|ENOENT/)
        const before = performance.now()
        assert.equal(await engine.verdict('casino.example'), 'block')
        assert.ok(performance.now() - before < 1_000)
        rmSync(path, { recursive: true })
        replaceFile(path, name === 'policy.toml' ? POLICY : 'anna\n')
        await until(
          () => engine.lines().findLast(({ msg }) => /^policy (kept|loaded)$/.test(`${msg}`))?.msg === 'policy loaded',
        )
      })
    }
  }
})

test('a link to a regular file is followed', { timeout: 60_000 }, async (t) => {
  const { folder, config, start } = policyFolder(t, POLICY)
  writeFileSync(join(folder, 'staff-1.txt'), 'anna\n')
  symlinkSync('staff-1.txt', join(folder, 'staff.txt'))
  rmSync(config)
  writeFileSync(join(folder, 'policy-1.toml'), POLICY)
  symlinkSync('policy-1.toml', config)
  const engine = await start()
  assert.equal(await engine.verdict('casino.example'), 'block')
})
