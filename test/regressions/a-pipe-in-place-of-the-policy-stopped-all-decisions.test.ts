// A pipe in place of the policy file or of a group's file stopped all decisions at the next reload: the engine waited for somebody to
// write into it. A device was read until memory ended, and a file of 100 MB held decisions for a minute. Since 2026-11-23, when the
// engine began to reload a changed policy; found by an attack. Now only regular files of at most 16 MiB are read.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, describe, test } from 'node:test'
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

describe('the engine still decides, by the policy of before', { timeout: 120_000 }, async () => {
  const { folder, config, start } = policyFolder({ after }, POLICY)
  const files = [
    { path: config, content: POLICY },
    { path: join(folder, 'staff.txt'), content: 'anna\n' },
  ]
  writeFileSync(join(folder, 'staff.txt'), 'anna\n')
  const engine = await start()
  const reloads = () => engine.lines().filter(({ msg }) => /^policy (kept|loaded)$/.test(`${msg}`))
  for (const [what, replace] of Object.entries(REPLACEMENTS)) {
    for (const { path, content } of files) {
      test(`${what} in place of ${basename(path)}`, async () => {
        const from = reloads().length
        rmSync(path)
        replace(path)
        const isKept = () =>
          /not a regular file|more than 16 MiB|EISDIR/.test(`${reloads().slice(from).at(-1)?.problems}`)
        await until(isKept)
        const before = performance.now()
        assert.equal(await engine.verdict('casino.example'), 'block')
        assert.ok(performance.now() - before < 1_000)
        rmSync(path, { recursive: true })
        replaceFile(path, content)
        await until(() => reloads().at(-1)?.msg === 'policy loaded')
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
