// A HEAD of /aup, and a GET that the browser prefetches, once set the session cookie for "this policy was shown". A
// later acknowledgement was then recorded with `document_source = shown` for a text that nobody had seen. Only a GET
// that a person triggers shows anything.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ACK_TOKEN, claims, verdictTarget } from '../support/payloads.ts'
import { NOW, startPortal } from '../support/portal.ts'

const portal = await startPortal({ after })

const target = () => verdictTarget(claims(NOW, { kind: 'aup', ack_token: ACK_TOKEN }))

test('HEAD and prefetching do not mark the policy as shown', async () => {
  const inAdvance = [
    await portal.get(target(), {}, 'HEAD'),
    await portal.get(target(), { 'sec-purpose': 'prefetch' }),
    await portal.get(target(), { 'sec-purpose': 'prefetch;prerender' }),
    await portal.get(target(), { purpose: 'prefetch' }),
  ]
  for (const { status, headers } of inAdvance) {
    assert.equal(status, 200)
    assert.equal(headers.get('set-cookie'), null)
  }
})

test('a GET does', async () => {
  assert.match((await portal.get(target())).headers.get('set-cookie') ?? '', /^__Host-gateway-captive=/)
})
