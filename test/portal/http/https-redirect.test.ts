// Requests to the terminator's plain-http port are redirected to https, without a cookie.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ACK_TOKEN, claims, verdictTarget } from '../../support/payloads.ts'
import { NOW, startPortal } from '../../support/portal.ts'
import { cookieSet, exchange } from '../exchange.ts'

const portal = await startPortal({ after }, { env: { GATEWAY_CAPTIVE_BASE_URL: 'https://portal.example:8443' } })

const overHttp = { 'X-Forwarded-Proto': 'http' }

test('every address redirects to the same one at the base URL, with any Host', async () => {
  const elsewhere = { ...overHttp, Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Port': '1' }
  const targets = [
    verdictTarget(claims(NOW, { kind: 'aup', ack_token: ACK_TOKEN })),
    '/locale?set=de&page=privacy',
    '/api/captive/ack?p=A&v=1&ts=1800000000',
    '/healthz',
    '/nowhere/%2e%2e?x=%0d%0aSet-Cookie:a',
    '//evil.example/x',
    '/\\evil.example',
    '/@evil.example',
    '/',
  ]
  for (const target of targets) {
    for (const method of ['GET', 'HEAD', 'POST', 'PROPFIND']) {
      const { status, headers, body } = await exchange(portal, target, elsewhere, method)
      assert.deepEqual(
        { status, body, location: headers.get('location') },
        { status: 308, body: '', location: `https://portal.example:8443${target}` },
      )
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('set-cookie'), undefined)
      assert.equal(headers.get('strict-transport-security'), undefined)
      assert.equal(headers.get('cross-origin-opener-policy'), undefined)
    }
  }
})

test('a target without a leading slash is not redirected', async () => {
  const { status, headers } = await exchange(portal, 'http://evil.example/blocked', overHttp)
  assert.equal(status, 400)
  assert.equal(headers.get('location'), undefined)
})

test('what is served over plain http is only read', async () => {
  for (const target of ['/ca', '/ca.crt', '/ca.cer', '/ca.mobileconfig']) {
    const { status, headers } = await exchange(portal, target, overHttp, 'POST')
    assert.equal(headers.get('cross-origin-opener-policy'), undefined, 'browsers log an error about it')
    assert.deepEqual([status, headers.get('allow'), headers.get('location')], [405, 'GET, HEAD', undefined], target)
  }
})

test('with a public address over plain http, requests are served, with their cookie', async (t) => {
  const plain = await startPortal(t, { env: { GATEWAY_CAPTIVE_BASE_URL: 'http://localhost' } })
  const response = await exchange(plain, '/locale?set=de&page=privacy', overHttp)
  assert.equal(response.status, 303)
  assert.match(cookieSet(response), /^gateway-captive=/)
})
