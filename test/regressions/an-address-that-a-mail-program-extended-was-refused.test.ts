// A school mailed the address of its certificate page. The mail service appended `?utm_source=newsletter`, and a chat program
// `?fbclid=…`: visitors saw "this address is incomplete or damaged" (400). Others appended a slash: 404. Since the first
// version, every address was compared as strictly as a verdict's, where anything more is somebody's attempt.
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { OVER_HTTP, startPublishing, YEAR } from '../portal/certificate/published-ca.ts'
import { exchange } from '../portal/exchange.ts'
import { makeCertificate } from '../support/certificates.ts'
import { ACK_TOKEN, claims, verdictTarget } from '../support/payloads.ts'
import { NOW } from '../support/portal.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'

const PATHS = ['/ca', '/ca.crt', '/ca.cer', '/ca.mobileconfig', '/privacy', '/healthz']
const APPENDED = ['?utm_source=newsletter&utm_medium=email', '?fbclid=IwAR0', '/', '/?gclid=1']

describe('an address with what mail programs and apps append', { skip: skipWithoutOpenssl }, () => {
  let certificate: string
  before(() => {
    certificate = makeCertificate(YEAR).certificate
  })

  test('is the same page or file', async (t) => {
    const { portal } = await startPublishing(t, certificate)
    for (const path of PATHS) {
      for (const headers of path.startsWith('/ca') ? [{}, OVER_HTTP] : [{}]) {
        const bare = await exchange(portal, path, headers)
        assert.equal(bare.status, 200)
        for (const appended of APPENDED) {
          const { status, body } = await exchange(portal, path + appended, headers)
          assert.deepEqual({ status, body }, { status: 200, body: bare.body }, path + appended)
        }
      }
    }
  })

  test('control: a verdict’s address and its acknowledgement stay exact', async (t) => {
    const { portal } = await startPublishing(t, certificate, { ENGINE_INTERNAL_URL: 'http://127.0.0.1:1' })
    const target = verdictTarget(claims(NOW, { kind: 'warn', ack_token: ACK_TOKEN }))
    const acknowledgement = target.replace('/warned', '/api/captive/ack')
    for (const one of [target, acknowledgement]) {
      assert.equal((await exchange(portal, `${one}&utm_source=newsletter`)).status, 400)
      assert.equal((await exchange(portal, one.replace('?', '/?'))).status, 404)
    }
    assert.equal((await exchange(portal, '/?utm_source=x')).status, 404)
  })
})
