import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

test('docs/aup.md lists every fault that a policy can have, and no other', () => {
  // Up to the part of a message that varies.
  const rules = globSync('src/aup/*.ts', { cwd: root })
    .flatMap((path) => Array.from(read(path).matchAll(/['`](must [^'`;$]+)/g), ([, rule]) => rule as string))
    .sort()
  const documented = Array.from(read('docs/aup.md').matchAll(/^- `(must [^`]+)`/gm), ([, message]) => message as string)
  assert.equal(rules.length, 8)
  assert.deepEqual(
    documented.sort().map((message, index) => message.slice(0, rules[index]?.length)),
    rules,
  )
})
