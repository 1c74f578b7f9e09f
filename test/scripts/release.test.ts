// `npm run release` makes nothing too early. What it makes: `npm run check -- archive`.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { CHECKS } from '../../checks/list.ts'
import { releaseRefusal } from '../../checks/passed.ts'
import { requiredOf } from '../../checks/runner.ts'
import { temporaryFolder } from '../support/databases.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const RELEASE = fileURLToPath(new URL('../../scripts/release.ts', import.meta.url))

test('no archive is created before every check has passed', (t) => {
  const refusal = releaseRefusal(ROOT, requiredOf(CHECKS))
  if (refusal === undefined) return t.skip('every check has passed for this commit')
  const dist = join(temporaryFolder(t), 'dist')
  const { status, stderr } = spawnSync(process.execPath, [RELEASE, '--no-signatures', '--output', dist], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  assert.equal(status, 1)
  assert.ok(stderr.includes(refusal), stderr)
  assert.ok(!existsSync(dist))
})
