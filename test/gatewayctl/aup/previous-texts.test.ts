// The texts that were replaced: their names, their permissions, and how many stay.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { keepAsPrevious, previousTexts, removeOldTexts } from '../../../src/gatewayctl/portal/aup/previous-texts.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const NOW = Date.parse('2026-11-22T14:03:11.678Z')

test('named after the time; if the name is in use, after the next second', async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'aup.md')
  writeFileSync(path, '# Text\n')
  chmodSync(path, 0o640)
  const first = await keepAsPrevious(path, NOW)
  assert.equal(first, `${path}.2026-11-22T14-03-11Z`)
  assert.equal(statSync(first).mode & 0o777, 0o640)
  writeFileSync(`${path}.2026-11-22T14-03-12Z`, 'another')
  assert.equal(await keepAsPrevious(path, NOW), `${path}.2026-11-22T14-03-13Z`)
  assert.equal(readFileSync(`${path}.2026-11-22T14-03-12Z`, 'utf8'), 'another')
})

test('the last ten of each file stay, the newest first; nothing else is listed or removed', async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'aup.md')
  const others = [
    'aup.md',
    'aup.md~',
    'aup.md.bak',
    'aup.md.2026-11-22',
    'aup.fr.md.2026-11-22T14-03-11Z',
    'xaup.md.2026',
  ]
  const names = Array.from({ length: 12 }, (_, at) => `aup.md.2026-11-${10 + at}T14-03-11Z`)
  for (const name of [...others, ...names]) writeFileSync(join(folder, name), name)
  await removeOldTexts(path)
  const kept = names.slice(2)
  assert.deepEqual(
    (await previousTexts(path)).map((other) => basename(other)),
    kept.toReversed(),
  )
  assert.deepEqual(readdirSync(folder).sort(), [...others, ...kept].sort())
})

test('a link: next to its target', async (t) => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'target'))
  writeFileSync(join(folder, 'target', 'rules.md'), '# Text\n')
  const path = join(folder, 'aup.md')
  symlinkSync(join(folder, 'target', 'rules.md'), path)
  const kept = await keepAsPrevious(path, NOW)
  assert.equal(kept, join(folder, 'target', 'rules.md.2026-11-22T14-03-11Z'))
  assert.deepEqual(await previousTexts(path), [kept])
  assert.deepEqual(await previousTexts(join(folder, 'nowhere', 'aup.md')), [])
})
