import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { configurationPage } from '../../scripts/write-docs.ts'
import { sections } from '../../src/portal/settings/config.ts'
import { variableNames } from '../../src/settings/names.ts'

test('docs/configuration.md is up to date with `npm run docs`', () => {
  const committed = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
  assert.equal(committed.replaceAll('\r\n', '\n'), configurationPage())
})

test('every name and its rule are in the documentation', () => {
  const page = configurationPage()
  for (const name of variableNames(sections)) assert.ok(page.includes(`\`${name}\``), name)
  assert.ok(!page.includes('undefined'))
})
