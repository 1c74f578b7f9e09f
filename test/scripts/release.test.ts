// `npm run release` makes nothing too early. What it makes: `npm run check -- archive`.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { CHECKS } from '../../checks/list.ts'
import { releaseRefusal } from '../../checks/passed.ts'
import { requiredOf } from '../../checks/runner.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** @returns a clone of this repository, without the record of its checks */
function cloneInto(folder: string): string {
  execFileSync('git', ['clone', '--quiet', '--shared', ROOT, folder], { stdio: 'pipe' })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

test('no archive is created before every check has passed', (t) => {
  const folder = temporaryFolder(t)
  const hasPassed = releaseRefusal(ROOT, requiredOf(CHECKS)) === undefined
  const root = hasPassed ? cloneInto(join(folder, 'clone')) : ROOT
  const refusal = releaseRefusal(root, requiredOf(CHECKS)) ?? assert.fail()
  const dist = join(folder, 'dist')
  const release = join(root, 'scripts', 'release.ts')
  const { status, stderr } = spawnSync(process.execPath, [release, '--no-signatures', '--output', dist], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  assert.equal(status, 1)
  assert.ok(stderr.includes(refusal), stderr)
  assert.ok(!existsSync(dist))
})
