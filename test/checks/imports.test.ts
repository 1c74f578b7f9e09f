// Benchmarks and checks import test/support, never the other way round, and no test imports a long-running check.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** @returns the imports of a folder's files */
function imported(folder: string): readonly { readonly path: string; readonly target: string }[] {
  return globSync(`${folder}/**/*.ts`, { cwd: root }).flatMap((path) =>
    Array.from(
      readFileSync(join(root, path), 'utf8').matchAll(/\b(?:from|import)\s*\(?'(\.[^']+)'/g),
      ([, target = '']) => ({
        path,
        target: join(dirname(path), target),
      }),
    ),
  )
}

const RULES: Readonly<Record<string, RegExp>> = {
  'test/support': /^(test\/support|src|demo)\//,
  bench: /^(bench|test\/support|src)\//,
  checks: /^(checks|bench|test\/(support|deploy|engine|gatewayctl|ledger|portal|proxy|terminator)|src|demo)\//,
}

for (const [folder, allowed] of Object.entries(RULES)) {
  test(`${folder} imports only what it may`, () => {
    const all = imported(folder)
    assert.ok(all.length > 20)
    for (const { path, target } of all) assert.match(target, allowed, `${path} imports ${target}`)
  })
}
