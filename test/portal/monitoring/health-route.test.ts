// The liveness probe.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startPortal } from '../../support/portal.ts'
import { exchange } from '../exchange.ts'

/** A portal without an engine, and with a closed ledger. */
const portal = await startPortal({ after })
await portal.ledger.close()
const { version } = portal.config.release

test('is well without engine and database, and wants neither cookie nor credentials', async () => {
  const { status, headers, body } = await exchange(portal, '/healthz', { Cookie: 'a=b', Authorization: 'Basic eDp5' })
  assert.deepEqual([status, headers.get('content-type')], [200, 'application/json'])
  assert.equal(headers.get('set-cookie'), undefined)
  assert.deepEqual(JSON.parse(body), { status: 'ok', version, release_type: 'IR' })
})

test('a release without a type has an empty one', async (t) => {
  const plain = await startPortal(t, { env: { GATEWAY_CAPTIVE_RELEASE_TYPE: '' } })
  assert.deepEqual(JSON.parse((await exchange(plain, '/healthz')).body), { status: 'ok', version, release_type: '' })
})

test('can be loaded by pages of any origin, so that the certificate page can test trust', async () => {
  const { headers } = await exchange(portal, '/healthz', { Origin: 'http://portal.example' })
  assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin')
  assert.equal(headers.get('access-control-allow-origin'), undefined)
})

test('ignores a query and a slash at the end', async () => {
  const { body } = await exchange(portal, '/healthz')
  for (const target of ['/healthz/', '/healthz?probe=1', '/healthz/?probe=1']) {
    assert.equal((await exchange(portal, target)).body, body)
  }
  assert.equal((await exchange(portal, '/healthz//')).status, 404)
})
