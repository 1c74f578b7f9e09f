// State, journal and ledger may share a PostgreSQL database: what locks one must not lock another.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

test('every advisory lock has a number of its own', () => {
  const found = globSync('src/**/*.ts').flatMap((path) => readFileSync(path, 'utf8').match(/\b7_294_[\d_]+n\b/g) ?? [])
  assert.ok(found.length >= 4)
  assert.equal(new Set(found).size, found.length, found.join(', '))
})
