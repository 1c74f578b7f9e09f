// SECURITY.md: each promise names its tests, and they exist.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import packageJson from '#package' with { type: 'json' }

const root = fileURLToPath(new URL('../../', import.meta.url))
const text = readFileSync(join(root, 'SECURITY.md'), 'utf8')
// Named without their ending.
const files = [...text.matchAll(/`((?:test|checks)\/[^`]+)`/g)].map(([, path = '']) => `${path}.test.ts`)

/** @returns the list items of a part of the document, each on one line */
function itemsOf(part: string): string[] {
  return Array.from(part.matchAll(/^- .*(?:\n {2}.*)*/gm), ([item]) => item.slice(2).replaceAll(/\n */g, ' '))
}

test('every promise names its tests, or says that there are none', () => {
  const [, promised = ''] = /## What is promised[^\n]*\n(.*?)\n## What is not promised/s.exec(text) ?? []
  const [, ...sections] = promised.split(/^### /m)
  assert.ok(sections.length > 10)
  assert.ok(itemsOf(promised).length > 55)
  for (const section of sections) {
    const promises = itemsOf(section)
    assert.ok(promises.length > 0, section)
    for (const promise of promises) {
      assert.match(
        promise,
        /^\*\*[^*]+\*\*: .+ \((?:`(?:test|checks)\/[^`]+`(?:, `(?:test|checks)\/[^`]+`)*|not promised|by hand, before a release)\)$/,
      )
    }
  }
})

describe('every named test exists and runs', () => {
  test('tests are named', () => assert.ok(new Set(files).size > 80))
  for (const path of new Set(files)) {
    test(path, () => {
      assert.ok(existsSync(join(root, path)), 'it does not exist')
      // Its own tests, or those of its parts.
      assert.match(readFileSync(join(root, path), 'utf8'), /^ *test\(|^import \{ test\w+ \} from '\.\//m)
    })
  }
})

test('every named command exists', () => {
  const commands = [...text.matchAll(/`npm run ([a-z:]+)/g)].map(([, name = '']) => name)
  assert.ok(commands.length > 2)
  for (const name of commands) assert.ok(name in packageJson.scripts, name)
})

test('every deviation has a reason and a mitigation', () => {
  const deviations = itemsOf(/## Deliberate deviations\n(.*)/s.exec(text)?.[1] ?? '')
  assert.ok(deviations.length > 8)
  for (const deviation of deviations) {
    // What, the requirement if there is one, reason, mitigation.
    assert.match(deviation, /^\*\*[^*]+\*\*(?: \(\d+\.\d+\.\d+(?:, by its alternative)?\))?: (?!Mitigation)\S.*\.$/)
    assert.ok(deviation.includes('. Mitigation: ') || deviation.startsWith('**The version is shown**'), deviation)
  }
  for (const requirement of ['3.5.3', '3.4.1', '14.2.1'])
    assert.ok(
      deviations.some((deviation) => deviation.includes(`** (${requirement}`)),
      requirement,
    )
})
