// Watched files on a file system that reports no events: their state is compared every second.
import assert from 'node:assert/strict'
import { linkSync, mkdirSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { watchFiles } from '../../../../src/engine/policy/reload/file-watch.ts'
import { readFingerprint } from '../../../../src/settings/file-fingerprint.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { until } from '../../../support/until.ts'

test('a change that causes no event is noticed', async (t) => {
  const folder = temporaryFolder(t)
  const [watched, other] = [join(folder, 'watched'), join(folder, 'other')]
  for (const path of [watched, other]) mkdirSync(path)
  const file = join(watched, 'policy.toml')
  writeFileSync(file, 'before')
  // Written by another name of the file, in another folder, it causes no event in this one.
  const link = join(other, 'link')
  linkSync(file, link)
  let events = 0
  const witness = watch(watched, () => events++)
  t.after(() => witness.close())
  const changed: string[][] = []
  let changes = 0
  const watching = watchFiles({
    settledMs: () => 0,
    onSign: (paths) => changed.push([...paths]),
    onChange: () => changes++,
  })
  t.after(() => watching.close())
  watching.follow(new Map([[file, await readFingerprint(file)]]))
  // Past the check that follows immediately.
  await sleep(200)
  assert.equal(changes, 0)
  writeFileSync(link, 'after, with another length')
  await until(() => changes === 1, 10)
  assert.deepEqual(changed, [[file]])
  assert.equal(events, 0)
})
