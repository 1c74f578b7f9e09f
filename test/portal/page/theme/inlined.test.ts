import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { inlinedTheme } from '../../../../scripts/write-theme.ts'

test('the inlined style and scripts are up to date: npm run theme', () => {
  const committed = readFileSync(new URL('../../../../src/portal/page/theme/inlined.ts', import.meta.url), 'utf8')
  assert.equal(committed, inlinedTheme())
})
