// The quick form of `npm run chaos -- fair-slots`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryFolder } from '../support/databases.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'
import { skipWithoutNginx } from '../support/terminator.ts'
import { contend } from './contending.ts'
import { listed } from './load.ts'

const VISITORS = 100
const REQUIRED = 0.99

for (const engine of ['fast', 'slow', 'expired'] as const) {
  test(`other visitors are relayed, with an engine that is ${engine}`, {
    skip: skipWithoutNginx || skipWithoutOpenssl,
  }, async (t) => {
    const folder = temporaryFolder(t)
    const result = await contend({ engine, seconds: 4, visitors: VISITORS, folder, after: (end) => t.after(end) })
    assert.ok(result.relayed >= REQUIRED * VISITORS, listed(result.visitors))
    assert.ok((result.repeated.get('503') ?? 0) > VISITORS, 'hardly anything contended with them')
  })
}
