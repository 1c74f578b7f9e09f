// The explanation of certificate errors: on every page while a CA is published, otherwise on none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseClaims, type Verdict } from '../../../src/contract/verdict.ts'
import { parseVerdictQuery, type VerdictQuery } from '../../../src/contract/verdict-url.ts'
import { buildAssets } from '../../../src/portal/page/assets.ts'
import { catalogue } from '../../../src/portal/page/i18n/catalogue.ts'
import { buildSite } from '../../../src/portal/page/site.ts'
import { loadConfig } from '../../../src/portal/settings/config.ts'
import { createVerdictPages } from '../../../src/portal/verdict/page-cache.ts'
import { policyDocuments } from '../../../src/portal/verdict/policy-document.ts'
import { LOCALES } from '../../../src/settings/sections/locales.ts'
import { bodyText } from '../../support/body-text.ts'
import { makeCertificate } from '../../support/certificates.ts'
import { claims, SECRET, verdictQuery, verdictTarget } from '../../support/payloads.ts'
import { NOW } from '../../support/portal.ts'
import { exchange } from '../exchange.ts'
import { type Element, elements, parsePage, textOf } from '../markup.ts'
import { startPublishing, YEAR } from './published-ca.ts'

const MOST_BYTES = 14 * 1024

const { certificate } = makeCertificate(YEAR)

const everyPage = [
  verdictTarget(claims(NOW)),
  verdictTarget(claims(NOW, { kind: 'warn' })),
  verdictTarget(claims(NOW, { kind: 'aup' })),
  verdictTarget(claims(NOW - 301)),
  '/privacy',
  '/nowhere',
]

const answerOf = (page: Element) => elements(page, 'details').filter(({ attributes }) => attributes.class === 'why')
const certificateLinks = (page: Element) =>
  elements(page, 'a').filter(({ attributes }) => attributes.href?.startsWith('/ca'))

test('while a CA is published, every page explains it in its language and links the certificate page', async (t) => {
  const { portal } = await startPublishing(t, certificate)
  for (const target of everyPage) {
    for (const locale of LOCALES) {
      const page = parsePage((await exchange(portal, target, { 'Accept-Language': locale })).body)
      const [answer, ...more] = answerOf(page)
      assert.ok(answer && more.length === 0)
      const words = catalogue[locale].certificateError
      assert.equal(textOf(elements(answer, 'summary')[0] as Element), words.question)
      assert.ok(textOf(answer).includes(words.answer))
      assert.equal(certificateLinks(answer).length, 1)
    }
  }
})

test('without inspection no page mentions it, even with a published CA', async (t) => {
  const { portal } = await startPublishing(t, certificate, { GATEWAY_CAPTIVE_SSL_BUMP: 'off' })
  for (const target of everyPage) assert.deepEqual(answerOf(parsePage((await exchange(portal, target)).body)), [])
})

test('the certificate page is linked as soon as it exists, and pages stay small enough', () => {
  const { config } = loadConfig({
    GATEWAY_CAPTIVE_SHARED_SECRET: SECRET,
    GATEWAY_CAPTIVE_SECRET_KEY: `session-${SECRET}`,
    GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite://',
    GATEWAY_ORG_NAME: 'Kantonsschule Musterhausen',
    GATEWAY_CAPTIVE_SUPPORT_URL: 'tel:+41441234567',
  })
  const site = buildSite(config, buildAssets('bsod'), false)
  const render = createVerdictPages(site, policyDocuments())
  const sealed = claims(NOW, { kind: 'aup', ack_token: 'x'.repeat(32), override: { type: 'pin', length: 4 } })
  const query = parseVerdictQuery(verdictQuery(sealed)).query as VerdictQuery
  for (const locale of LOCALES) {
    const draw = (hasCertificatePage: boolean) => {
      const visit = { site, locale, t: catalogue[locale], year: 2027, hasCertificatePage }
      return bodyText(render(visit, parseClaims(sealed).verdict as Verdict, query))
    }
    const without = parsePage(draw(false))
    assert.deepEqual([...certificateLinks(without), ...answerOf(without)], [])
    const page = draw(true)
    const links = certificateLinks(parsePage(page))
    assert.deepEqual(
      links.map((link) => [link.attributes.href, textOf(link)]),
      [
        ['/ca', catalogue[locale].certificateError.setUp],
        ['/ca', catalogue[locale].footer.certificate],
      ],
    )
    // Whatever its length.
    assert.ok(!page.includes(query.p))
    const bytes = Buffer.byteLength(page)
    assert.ok(bytes <= MOST_BYTES, `${locale}: ${bytes}`)
  }
})
