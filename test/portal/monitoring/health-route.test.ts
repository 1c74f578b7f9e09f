// The liveness probe.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startPortal } from '../../support/portal.ts'
import { exchange } from '../exchange.ts'

/** A portal without an engine, and with a closed ledger. */
const portal = await startPortal(undefined)
await portal.ledger.close()
after(() => portal.close())

test('is well without engine and database', async () => {
  const { status, headers, body } = await exchange(portal, '/healthz')
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'application/json')
  assert.deepEqual(JSON.parse(body), { status: 'ok', version: portal.config.release.version, release_type: 'IR' })
})

test('a release without a type has an empty one', async (t) => {
  const plain = await startPortal(t, { env: { GATEWAY_CAPTIVE_RELEASE_TYPE: '' } })
  const { body } = await exchange(plain, '/healthz')
  assert.deepEqual(JSON.parse(body), { status: 'ok', version: portal.config.release.version, release_type: '' })
})

test('can be read by pages of any origin, so that the certificate page can test trust', async () => {
  for (const method of ['GET', 'HEAD']) {
    const { headers } = await exchange(portal, '/healthz', { Origin: 'http://portal.example' }, method)
    assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin')
    assert.equal(headers.get('access-control-allow-origin'), undefined)
  }
})

test('ignores a query and a slash at the end', async () => {
  for (const target of ['/healthz/', '/healthz?probe=1', '/healthz/?probe=1']) {
    assert.deepEqual((await exchange(portal, target)).body, (await exchange(portal, '/healthz')).body)
  }
  assert.equal((await exchange(portal, '/healthz//')).status, 404)
})

test('wants neither cookie nor credentials, and sets none', async () => {
  const { status, headers } = await exchange(portal, '/healthz', { Cookie: 'a=b', Authorization: 'Basic eDp5' })
  assert.equal(status, 200)
  assert.equal(headers.get('set-cookie'), undefined)
})
