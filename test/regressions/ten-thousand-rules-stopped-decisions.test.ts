// Seen: a reload of a policy with 10,000 rules stopped the engine's decisions for two seconds, and `--check` with 100,000 rules
// did not end within a minute. To find the line of a rule, all headers of the file were searched for each rule. In one line, a
// long number after `[` took 20 s, because each part of it was tried as a name. Since problems name lines. A policy with a
// hundred rules was not affected.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tomlLines } from '../../src/settings/toml-lines.ts'
import { cpuMilliseconds } from '../support/cpu-time.ts'

const LIMIT = 1500

/** Finds the line of each of so many rules. */
function findRules(count: number): void {
  const find = tomlLines(Array.from({ length: count }, (_, index) => `[[rules]]\nname = "r${index}"\n`).join(''))
  for (let index = 0; index < count; index++) assert.equal(find(['rules', index, 'name']), 2 * index + 2)
}

test('the lines of 30,000 rules', () => {
  const milliseconds = cpuMilliseconds(() => findRules(30_000))
  assert.ok(milliseconds < LIMIT, `${milliseconds} ms`)
})

test('a line with a long number', () => {
  const milliseconds = cpuMilliseconds(() => tomlLines(`numbers = [\n[0.${'0'.repeat(100_000)}\n]]\n`))
  assert.ok(milliseconds < LIMIT, `${milliseconds} ms`)
})

test('control: the lines of a hundred rules', () => {
  const milliseconds = cpuMilliseconds(() => findRules(100))
  assert.ok(milliseconds < LIMIT, `${milliseconds} ms`)
})
