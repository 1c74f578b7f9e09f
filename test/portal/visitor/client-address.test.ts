import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPortal } from '../../support/portal.ts'

const warnings = (portal: Awaited<ReturnType<typeof startPortal>>) =>
  portal.logged().filter(({ level, msg }) => level === 40 && String(msg).includes('X-Forwarded-For'))

test('warns once of addresses forwarded by an untrusted peer', async (t) => {
  const portal = await startPortal(t)
  await portal.get('/healthz')
  assert.equal(warnings(portal).length, 0)
  for (let time = 0; time < 3; time++) await portal.get('/healthz', { 'x-forwarded-for': '203.0.113.9' })
  assert.deepEqual(
    warnings(portal).map(({ peer }) => peer),
    ['127.0.0.1'],
  )
})

test('does not warn of a trusted proxy', async (t) => {
  const portal = await startPortal(t, { env: { GATEWAY_CAPTIVE_TRUSTED_PROXIES: '127.0.0.0/8' } })
  await portal.get('/healthz', { 'x-forwarded-for': '203.0.113.9' })
  assert.equal(warnings(portal).length, 0)
})
