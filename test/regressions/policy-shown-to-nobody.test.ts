// HEAD, and a GET that the browser makes in advance, of /aup once set the session cookie that says "this policy was shown".
// An acknowledgement after it was then recorded with `document_source = shown` for a text that nobody had seen. Only a GET
// that a person asked for shows anything.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ACK_TOKEN, claims, verdictTarget } from '../support/payloads.ts'
import { NOW, startPortal } from '../support/portal.ts'

const portal = await startPortal(undefined)
after(() => portal.close())

const target = () => verdictTarget(claims(NOW, { kind: 'aup', ack_token: ACK_TOKEN }))

test('HEAD and what is loaded in advance leave no trace of a shown policy', async () => {
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
