// The engine accepts hosts whose labels begin or end with a hyphen, or have more than 63 characters, as browsers do, and publishes
// them. The proxy had other rules than the engine: it refused the whole file, and no change of the policy reached it any more.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { publishedSettings } from '../../src/engine/proxy-settings/published.ts'
import { readPublished } from '../../src/published/read.ts'
import { publishedFiles } from '../../src/published/write.ts'
import { configure, policy } from '../engine/running-engine.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('the proxy reads whatever the engine publishes', (t) => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'proxy'))
  const hosts = [
    '-shop.example',
    'shop-.example',
    '.a-.example',
    `${'a'.repeat(64)}.example`,
    'a_b.example',
    'bücher.example',
  ]
  const { policy: accepted } = configure(
    policy(`[inspection]
exempt_defaults = false
exempt = ${JSON.stringify(hosts)}
tenants = [{ hosts = ${JSON.stringify(hosts)}, header = "X-Tenants", value = "7" }]`),
  )
  const published = publishedSettings(accepted, ['portal.example'], { every: undefined })
  assert.equal(published.exemptHosts.length, hosts.length)
  for (const [name, text] of Object.entries(publishedFiles(published))) writeFileSync(join(folder, 'proxy', name), text)
  assert.deepEqual(readPublished(folder), { published, missing: [] })
})
