// An unconfigured portal sent visitors to its publisher, `Gateway Project`, because the brand company has that default
// and names the operator. Since the first version the fallback text was used only with an explicitly empty brand
// company, and no warning at start reported that the operator has no name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue } from '../../src/portal/page/i18n/catalogue.ts'
import { LOCALES } from '../../src/settings/sections/locales.ts'
import { DAY, startPublishing, YEAR } from '../portal/certificate/published-ca.ts'
import { exchange } from '../portal/exchange.ts'
import { type Element, elements, parsePage, textOf } from '../portal/markup.ts'
import { load } from '../settings/load.ts'
import { makeCertificate } from '../support/certificates.ts'
import { claims, verdictTarget } from '../support/payloads.ts'
import { NOW, startPortal } from '../support/portal.ts'
import { startPortalProcess } from '../support/portal-process.ts'

const PUBLISHER = 'Gateway Project'
const UNSET = /GATEWAY_ORG_NAME is unset/

const mainOf = (body: string) => textOf(elements(parsePage(body), 'main')[0] as Element)

test('with no operator configured, every page names the network administrator', async (t) => {
  const portal = await startPortal(t, { env: { GATEWAY_ORG_NAME: '' } })
  for (const locale of LOCALES) {
    const { fallback } = catalogue[locale].operator
    for (const target of [verdictTarget(claims(NOW)), '/privacy', '/nowhere']) {
      const text = mainOf((await exchange(portal, target, { 'Accept-Language': locale })).body)
      assert.ok(text.includes(fallback), `${locale} ${target}: ${text}`)
      assert.ok(!text.includes(PUBLISHER), `${locale} ${target}: ${text}`)
    }
  }
  const english = mainOf((await exchange(portal, '/privacy')).body)
  assert.match(english, /contacting your network administrator, the operator of this gateway/)
})

test('the certificate page and the profile name the product', async (t) => {
  const ca = makeCertificate({ ...YEAR, notBefore: NOW - DAY })
  const { portal } = await startPublishing(t, ca.certificate, { GATEWAY_CAPTIVE_BRAND_PRODUCT: 'Portal 1' })
  const main = mainOf((await exchange(portal, '/ca')).body)
  assert.match(main, /Portal 1/)
  assert.ok(!main.includes(PUBLISHER))
  const profile = (await exchange(portal, '/ca.mobileconfig')).body
  assert.ok(profile.includes('<key>PayloadOrganization</key><string>Portal 1</string>'))
})

test('the portal warns once at start that the operator has no name', async (t) => {
  const warnings = async (env: Record<string, string>) => {
    const portal = startPortalProcess(t, env)
    await portal.listening
    const warned = portal.lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40)
    return warned.filter(({ msg }) => UNSET.test(msg)).length
  }
  assert.equal(await warnings({}), 1)
  assert.equal(await warnings({ GATEWAY_CAPTIVE_WORKERS: '2' }), 1)
  assert.equal(await warnings({ GATEWAY_ORG_NAME: 'Stadt Muster' }), 0)
})

test('control: a configured operator was always named', () => {
  const URL = 'https://company.example/'
  const named = [
    [{ GATEWAY_ORG_NAME: 'Stadt Muster' }, { organisation: 'Stadt Muster' }],
    [{ GATEWAY_CAPTIVE_BRAND_COMPANY: 'Muster AG' }, { company: 'Muster AG', companyUrl: undefined }],
    // The publisher's name set explicitly, or a company with a URL, is intentional.
    [{ GATEWAY_CAPTIVE_BRAND_COMPANY: PUBLISHER }, { company: PUBLISHER }],
    [{ BRAND_COMPANY_URL: URL }, { company: PUBLISHER, companyUrl: URL }],
  ] as const
  for (const [env, expected] of named) {
    const { config, warnings } = load({ GATEWAY_ORG_NAME: undefined, ...env })
    assert.deepEqual({ ...config.brand, ...expected }, config.brand)
    assert.deepEqual(warnings, [])
  }
})
