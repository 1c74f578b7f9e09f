// A rule with more than some 120,000 entries in `match` ended in "Maximum call stack size exceeded": --check printed a stack trace, and
// a reload kept the old policy with that text. Since the first version of the engine; found by an attack.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { warningsOf } from '../../src/engine/policy/explain/warnings.ts'
import { indexPatterns, parseHostPattern } from '../../src/network/host-pattern.ts'
import { configure, policy } from '../engine/running-engine.ts'

for (const count of [2, 200_000]) {
  test(`${count} hosts`, () => {
    const patterns = Array.from({ length: count }, (_, index) => parseHostPattern(`h${index}.casino.example`))
    const index = indexPatterns(patterns.filter((pattern) => pattern !== undefined))
    assert.equal(index.deepest, 3)
    assert.equal(index.byHost.size, count)
  })
}

test('the whole policy, with its warnings', () => {
  const hosts = JSON.stringify(Array.from({ length: 130_000 }, (_, index) => `h${index}.casino.example`))
  const rule = `[[rules]]\nname = "r"\nmatch = ${hosts}\nexcept = { match = ${hosts} }\naction = "block"`
  const { policy: loaded } = configure(policy(rule))
  assert.equal(loaded.rules[0]?.match?.byHost.size, 130_000)
  assert.deepEqual(warningsOf(loaded, [], 0), [])
})
