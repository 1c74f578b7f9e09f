// What fuzzing starts from, and what it has found so far (test/regressions/fuzz/TARGET/): each input is tried once.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { mutate, shrink } from '../../checks/fuzz/mutate.ts'
import { bytesOf, MAXIMUM_INPUT_BYTES } from '../../checks/fuzz/target.ts'
import { targets } from '../../checks/fuzz/targets.ts'

const FOUND = new URL('../regressions/fuzz/', import.meta.url)

describe('every promise is kept', () => {
  for (const { name, seeds, run } of targets) {
    test(`${name}: by what fuzzing starts from`, () => {
      for (const seed of seeds) run(bytesOf(seed))
    })
  }
  for (const entry of readdirSync(FOUND, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const [name = ''] = entry.parentPath.split('/').slice(-1)
    test(`${name}: by ${entry.name}, which fuzzing has found`, () => {
      const target = targets.find((one) => one.name === name)
      assert.ok(target !== undefined, `no target of that name`)
      target.run(readFileSync(`${entry.parentPath}/${entry.name}`))
    })
  }
})

test('a mutation changes something, within the limit', () => {
  const input = Buffer.alloc(MAXIMUM_INPUT_BYTES, 'abc')
  const mutants = Array.from({ length: 200 }, () => mutate(input, ['word'], [Buffer.from('other')]))
  assert.ok(mutants.every(({ length }) => length <= MAXIMUM_INPUT_BYTES))
  assert.ok(mutants.filter((mutant) => !mutant.equals(input)).length > 150)
})

test('what fails is cut down to what makes it fail', () => {
  const input = Buffer.from(`${'x'.repeat(500)}<needle>${'y'.repeat(500)}`)
  assert.equal(shrink(input, (candidate) => candidate.includes('<needle>')).toString(), '<needle>')
})

test('a short run is led to new places', () => {
  const main = fileURLToPath(new URL('../../checks/fuzz/main.ts', import.meta.url))
  const said = execFileSync(process.execPath, [main, '--minutes', '0.02', '--target', 'session'], { encoding: 'utf8' })
  const [, inputs, kept] = /^session: (\d+) inputs .*, (\d+) kept,/.exec(said) ?? []
  assert.ok(Number(inputs) > 100 && Number(kept) > 2, said)
  assert.match(said, /nothing found\n$/)
})
