// The key file: created once; a broken one is a problem at the start.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureKeyFile, type StateKeys } from '../../../src/engine/state/key-file.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const exported = ({ opening }: StateKeys) => opening.map((key) => key.export().toString('hex'))

test('many engines at once create one file, readable for its owner only', async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'state.key')
  const all = await Promise.all(Array.from({ length: 20 }, () => ensureKeyFile(path)))
  assert.equal(new Set(all.map((keys) => exported(keys).join())).size, 1)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(folder), ['state.key'])
  const before = readFileSync(path, 'utf8')
  await ensureKeyFile(path)
  assert.equal(readFileSync(path, 'utf8'), before)
})

test('an engine that is a little slower takes the key of the faster one', async (t) => {
  const folder = temporaryFolder(t)
  for (let round = 0; round < 60; round++) {
    const path = join(folder, `${round}.key`)
    const slower = sleep(round / 20).then(() => ensureKeyFile(path))
    const [one, other] = await Promise.all([ensureKeyFile(path), slower])
    assert.deepEqual(exported(one), exported(other), `round ${round}`)
  }
})

test('a broken file is a problem with a clear message, which does not show the key', async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'state.key')
  const messages: [string, RegExp][] = [
    ['', /not empty/],
    ['too-short-to-be-a-key', /must have 32 or more characters/],
    ['x'.repeat(40), /must not be an example value/],
    [`${'a1'.repeat(16)} ${'b2'.repeat(16)} ${'c3'.repeat(16)}`, /must hold at most two secrets/],
  ]
  for (const [content, message] of messages) {
    writeFileSync(path, content)
    await assert.rejects(ensureKeyFile(path), (error: Error) => {
      assert.equal(error.name, 'ConfigProblems')
      assert.match(error.message, message)
      assert.ok(error.message.includes(path))
      assert.ok(content === '' || !error.message.includes(content))
      return true
    })
  }
  writeFileSync(path, Buffer.of(0xff, 0xfe))
  await assert.rejects(ensureKeyFile(path), /UTF-8/)
  mkdirSync(join(folder, 'folder'))
  await assert.rejects(ensureKeyFile(join(folder, 'folder')), /EISDIR/)
  await assert.rejects(ensureKeyFile(join(folder, 'missing', 'state.key')), /files can be created \(ENOENT\)/)
})
