// SECURITY.md: each promise names its tests, and they exist.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import packageJson from '#package' with { type: 'json' }

const root = fileURLToPath(new URL('../../', import.meta.url))
const text = readFileSync(join(root, 'SECURITY.md'), 'utf8')
const files = [...text.matchAll(/`((?:test|checks)\/[^`]+)`/g)].map(([, path = '']) => path)

test('every row of promises names its tests, or says that there are none', () => {
  const [, body = ''] = /## What is promised[^\n]*\n(.*?)### What is not kept/s.exec(text) ?? []
  const inBody = body.split('\n').filter((line) => line.startsWith('| ') && !/^\| (---|Threat)/.test(line))
  assert.ok(inBody.length > 40)
  for (const row of inBody)
    assert.match(row, /(`(?:test|checks)\/[^`]+\.test\.ts`|not promised|by hand, before a release) \|$/, row)
})

describe('every named test exists and runs', () => {
  test('tests are named', () => assert.ok(new Set(files).size > 40))
  for (const path of new Set(files)) {
    test(path, () => {
      assert.ok(existsSync(join(root, path)), 'it does not exist')
      assert.match(path, /\.test\.ts$/)
      // Its own tests, or those of its parts.
      assert.match(readFileSync(join(root, path), 'utf8'), /^ *test\(|^import \{ test\w+ \} from '\.\//m)
    })
  }
})

test('every named command exists, and every deviation has a reason', () => {
  const commands = [...text.matchAll(/`npm run ([a-z:]+)/g)].map(([, name = '']) => name)
  assert.ok(commands.length > 2)
  for (const name of commands) assert.ok(name in packageJson.scripts, name)
  const [, deviations = ''] = /## Deliberate deviations\n(.*)/s.exec(text) ?? []
  const found = deviations.split('\n').filter((line) => /^\| [^-W]/.test(line))
  assert.ok(found.length > 8)
  for (const row of found) {
    // What, requirement, reason, mitigation; the last may be empty only for the version.
    const [what = '', requirement = '', why = ''] = row.slice(2).split(/ ?\| ?/)
    assert.ok(what !== '' && why !== '', row)
    assert.match(requirement, /^(\d+\.\d+\.\d+(, by its alternative)?)?$/, row)
  }
  for (const requirement of ['3.5.3', '3.4.1', '14.2.1'])
    assert.ok(deviations.includes(`| ${requirement}`), requirement)
})
