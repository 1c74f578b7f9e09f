// Runs each target on its seeds and on the inputs that fuzzing has found so far (test/regressions/fuzz/TARGET/).
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { bytesOf } from '../../checks/fuzz/target.ts'
import { targets } from '../../checks/fuzz/targets.ts'

const FOUND = new URL('../regressions/fuzz/', import.meta.url)

describe('every assertion holds', () => {
  for (const { name, seeds, run } of targets) {
    test(`${name}: for its seeds`, () => {
      for (const seed of seeds) run(bytesOf(seed))
    })
  }
  for (const entry of readdirSync(FOUND, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const [name = ''] = entry.parentPath.split('/').slice(-1)
    test(`${name}: for ${entry.name}, which fuzzing has found`, () => {
      const target = targets.find((one) => one.name === name)
      assert.ok(target !== undefined, `no target of that name`)
      target.run(readFileSync(`${entry.parentPath}/${entry.name}`))
    })
  }
})

test('a short run reaches new code', () => {
  const main = fileURLToPath(new URL('../../checks/fuzz/main.ts', import.meta.url))
  const output = execFileSync(process.execPath, [main, '--minutes', '0.02', '--target', 'session'], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  const [, inputs, kept] = /^session: (\d+) inputs .*, (\d+) kept,/.exec(output) ?? []
  assert.ok(Number(inputs) > 100 && Number(kept) > 2, output)
  assert.match(output, /nothing found\n$/)
})
