// `npm run check -- mutations`: a fault is made where its text is, once, and never in the work tree.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FAULTS } from '../../checks/mutations/faults/faults.ts'
import { mutated, mutationsOf } from '../../checks/mutations/mutation.ts'
import { copyRepository } from '../../checks/mutations/repository-copy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const [MUTATION = assert.fail()] = mutationsOf('a.ts', ['a.test.ts'], [['all is allowed', 'isBlocked()', 'false']])

test('a text that has changed, or is there twice, is an error that names the fault', () => {
  assert.equal(mutated('return isBlocked() ? 1 : 2', MUTATION), 'return false ? 1 : 2')
  for (const [text, count] of [
    ['return isStopped()', 0],
    ['isBlocked() || isBlocked()', 2],
  ] as const) {
    assert.throws(
      () => mutated(text, MUTATION),
      RegExp(`a\\.ts must have this text once, and has it ${count} times: .*all is allowed`),
    )
  }
  assert.throws(() => mutated('isBlocked()', { ...MUTATION, replace: 'if (' }), /Unexpected/)
})

test('a mutation is in the copy alone, and only while it runs', async (t) => {
  const root = temporaryFolder(t)
  execFileSync('git', ['init', '--quiet'], { cwd: root })
  mkdirSync(join(root, 'node_modules'))
  writeFileSync(join(root, 'a.ts'), 'isBlocked()')
  const copy = copyRepository(root)
  const text = () => readFileSync(join(copy.folder, 'a.ts'), 'utf8')
  await copy.withMutation(MUTATION, async () => {
    assert.equal(text(), 'false')
    assert.equal(readFileSync(join(root, 'a.ts'), 'utf8'), 'isBlocked()')
  })
  assert.equal(text(), 'isBlocked()')
  copy.remove()
  assert.ok(!existsSync(copy.folder))
})

test('each text that a fault changes is there once, and the tests that must notice the fault exist', () => {
  const root = join(import.meta.dirname, '../..')
  for (const fault of FAULTS) mutated(readFileSync(join(root, fault.file), 'utf8'), fault)
  const files = FAULTS.flatMap(({ tests }) => tests)
  assert.deepEqual(
    files.filter((file) => !existsSync(join(root, file))),
    [],
  )
})
