// When no CA was published (inspection on, which is the default, but no file, or an expired one), every page still
// asked "Why did I get a certificate error?" and sent the visitor to the operator. The question depended on the
// setting, not on the certificate, since the first version: without a CA nothing is inspected, and the visitor has seen
// no such error.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue } from '../../src/portal/page/i18n/catalogue.ts'
import { LOCALES } from '../../src/settings/sections/locales.ts'
import { DAY, startPublishing, YEAR } from '../portal/certificate/published-ca.ts'
import { exchange } from '../portal/exchange.ts'
import { makeCertificate } from '../support/certificates.ts'
import { ACK_TOKEN, claims, verdictTarget } from '../support/payloads.ts'
import { NOW } from '../support/portal.ts'

const TARGETS = [
  verdictTarget(claims(NOW)),
  verdictTarget(claims(NOW, { kind: 'warn', ack_token: ACK_TOKEN })),
  verdictTarget(claims(NOW, { kind: 'warn', ack_token: ACK_TOKEN, override: { type: 'pin' } })),
  verdictTarget(claims(NOW, { kind: 'aup', ack_token: ACK_TOKEN })),
  verdictTarget(claims(NOW - 301)),
  '/privacy',
  '/nowhere',
  '/ca',
  '/api/captive/ack',
]
/** The word "certificate" in all languages. */
const CERTIFICATE = /certifi[ck]at|zertifikat/i

test('with no CA published, no page mentions certificates or their errors', async (t) => {
  const { portal, publish } = await startPublishing(t)
  const expired = makeCertificate({ notBefore: NOW - 2 * DAY, notAfter: NOW - DAY })
  for (const content of [undefined, expired.certificate]) {
    if (content !== undefined) await publish(content)
    for (const locale of LOCALES) {
      for (const target of TARGETS) {
        for (const headers of [{}, { 'Sec-Fetch-Dest': 'iframe' }]) {
          const { body } = await exchange(portal, target, { 'Accept-Language': locale, ...headers })
          assert.doesNotMatch(body, CERTIFICATE, `${locale} ${target}`)
        }
      }
    }
  }
})

test('with a CA, every page except the certificate page explains the errors and links to it', async (t) => {
  const { portal } = await startPublishing(t, makeCertificate(YEAR).certificate)
  for (const locale of LOCALES) {
    const { question, answer } = catalogue[locale].certificateError
    for (const target of TARGETS) {
      const { body } = await exchange(portal, target, { 'Accept-Language': locale })
      const isExplained = body.includes(question) && body.includes(answer) && body.includes('href="/ca"')
      assert.equal(isExplained, target !== '/ca', `${locale} ${target}`)
    }
  }
})
