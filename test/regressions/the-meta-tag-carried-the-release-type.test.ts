// Pages carried the version with its release type (2026.47.0-IR) in the `portal-version` meta tag, because tag and
// header shared one label since the first version. The specification requires the suffix only in the header.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { exchange } from '../portal/exchange.ts'
import { elements, parsePage } from '../portal/markup.ts'
import { claims, verdictTarget } from '../support/payloads.ts'
import { NOW, type RunningPortal, startPortal } from '../support/portal.ts'

const portal = await startPortal({ after })
const { version } = portal.config.release

const FRAMED = { 'Sec-Fetch-Dest': 'iframe' }

async function versionsOf(from: RunningPortal, target: string, headers: Record<string, string> = {}) {
  const { headers: answered, body } = await exchange(from, target, headers)
  const metas = elements(parsePage(body), 'meta').filter(({ attributes }) => attributes.name === 'portal-version')
  return [answered.get('x-portal-version'), ...metas.map(({ attributes }) => attributes.content)]
}

test('the meta tag has the bare version; the header and the health document have the release type', async () => {
  for (const target of [verdictTarget(claims(NOW)), '/privacy', '/nowhere']) {
    assert.deepEqual(await versionsOf(portal, target), [`${version}-IR`, version], target)
  }
  assert.deepEqual(await versionsOf(portal, verdictTarget(claims(NOW)), FRAMED), [`${version}-IR`, version])
  const health = JSON.parse((await exchange(portal, '/healthz')).body)
  assert.deepEqual([health.version, health.release_type], [version, 'IR'])
})

test('control: without a release type both were correct', async (t) => {
  const plain = await startPortal(t, { env: { GATEWAY_CAPTIVE_RELEASE_TYPE: '' } })
  assert.deepEqual(await versionsOf(plain, '/privacy'), [version, version])
})
