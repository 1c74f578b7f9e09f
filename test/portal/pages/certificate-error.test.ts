// Why a browser may have complained of a certificate: said on every page, and only where the gateway inspects.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { loadConfig } from '../../../src/config/config.ts'
import { LOCALES } from '../../../src/config/locales.ts'
import { parseVerdictQuery, type VerdictQuery } from '../../../src/contract/query.ts'
import { parseClaims } from '../../../src/contract/verdict.ts'
import { buildAssets } from '../../../src/portal/assets.ts'
import { catalogue } from '../../../src/portal/i18n/catalogue.ts'
import { policyDocuments } from '../../../src/portal/policy-document.ts'
import { buildSite } from '../../../src/portal/site.ts'
import { createVerdictPages } from '../../../src/portal/verdict-pages.ts'
import { claims, SECRET, verdictQuery, verdictTarget } from '../../support/payloads.ts'
import { NOW, startPortal } from '../../support/portal.ts'
import { exchange } from '../exchange.ts'
import { type Element, elements, parsePage, textOf } from '../markup.ts'

const MOST_BYTES = 14 * 1024

const portal = await startPortal(undefined, { env: { GATEWAY_ORG_NAME: 'Stadt Muster' } })
after(() => portal.close())

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

test('every page answers, in its language, and says whom to ask', async () => {
  for (const target of everyPage) {
    for (const locale of LOCALES) {
      const page = parsePage((await exchange(portal, target, { 'Accept-Language': locale })).body)
      const [answer, ...more] = answerOf(page)
      assert.ok(answer && more.length === 0)
      const words = catalogue[locale].certificateError
      assert.equal(textOf(elements(answer, 'summary')[0] as Element), words.question)
      assert.ok(textOf(answer).includes(words.answer))
      assert.ok(textOf(answer).includes('Stadt Muster'))
      assert.deepEqual(certificateLinks(page), [])
    }
  }
})

test('without inspection no page speaks of it', async (t) => {
  const plain = await startPortal(t, { env: { GATEWAY_CAPTIVE_SSL_BUMP: 'off' } })
  for (const target of everyPage) assert.deepEqual(answerOf(parsePage((await exchange(plain, target)).body)), [])
})

test('the certificate page is linked as soon as there is one, and the pages stay small enough', () => {
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
  const query = parseVerdictQuery(verdictQuery(sealed)) as VerdictQuery
  for (const locale of LOCALES) {
    const draw = (hasCertificatePage: boolean) => {
      const visit = { site, locale, t: catalogue[locale], year: 2027, hasCertificatePage }
      return Buffer.from(render(visit, parseClaims(sealed), query), 'latin1')
    }
    assert.deepEqual(certificateLinks(parsePage(draw(false).toString())), [])
    const page = draw(true)
    const links = certificateLinks(parsePage(page.toString()))
    assert.deepEqual(
      links.map((link) => [link.attributes.href, textOf(link)]),
      [
        ['/ca', catalogue[locale].certificateError.setUp],
        ['/ca', catalogue[locale].footer.certificate],
      ],
    )
    assert.ok(page.length + 4 * (600 - query.p.length) <= MOST_BYTES, `${locale}: ${page.length}`)
  }
})
