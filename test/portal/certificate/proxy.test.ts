// What devices need for the proxy: the PAC file, its place on the certificate page, and the sheet to hand out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pacFile } from '../../../src/network/pac-file.ts'
import { makeCertificate } from '../../support/certificates.ts'
import { exchange, type RequestHeaders } from '../exchange.ts'
import { elements, only, parsePage, textOf } from '../markup.ts'
import { OVER_HTTP, startPublishing, YEAR } from './published-ca.ts'

const ca = makeCertificate(YEAR)
const ENV = {
  GATEWAY_CAPTIVE_PROXY: 'proxy.school.example:3128',
  GATEWAY_CAPTIVE_PROXY_DIRECT: 'wiki.example, 192.0.2.7',
}

test('the PAC file is that of gatewayctl, over https only', async (t) => {
  const { portal } = await startPublishing(t, ca.certificate, ENV)
  const { status, body, headers } = await exchange(portal, '/proxy.pac')
  assert.deepEqual([status, headers.get('content-type')], [200, 'application/x-ns-proxy-autoconfig'])
  const direct = ['portal.example', 'wiki.example', '192.0.2.7']
  assert.equal(body, pacFile({ host: 'proxy.school.example', port: 3128 }, direct))
  const redirected = await exchange(portal, '/proxy.pac', OVER_HTTP)
  assert.deepEqual([redirected.status, redirected.headers.get('location')], [308, 'https://portal.example/proxy.pac'])
})

test('certificate page and sheet have what devices are set to', async (t) => {
  const { portal } = await startPublishing(t, ca.certificate, ENV)
  for (const target of ['/ca', '/ca/sheet']) {
    for (const headers of target === '/ca' ? [{}, OVER_HTTP] : [{}]) {
      const { status, body } = await exchange(portal, target, headers)
      assert.equal(status, 200, target)
      const page = parsePage(body)
      const shown = ['pac', 'proxy-host', 'proxy-port'].map((id) => textOf(only(page, 'id', id)))
      assert.deepEqual(shown, ['https://portal.example/proxy.pac', 'proxy.school.example', '3128'])
    }
  }
  const sheet = parsePage((await exchange(portal, '/ca/sheet?lang=de')).body)
  assert.match(textOf(sheet), /Ihr Gerät einrichten/)
  assert.equal(textOf(only(sheet, 'id', 'address')), 'http://portal.example/ca')
  assert.equal(only(sheet, 'class', 'qr').name, 'svg')
})

test('the sheet names the operator, if there is one', async (t) => {
  for (const [name, expected] of [
    ['Hillside School', 'For devices on the network of Hillside School: three steps, once for each device.'],
    ['', 'For devices on this network: three steps, once for each device.'],
  ] as const) {
    const { portal } = await startPublishing(t, ca.certificate, { ...ENV, GATEWAY_ORG_NAME: name })
    const { body } = await exchange(portal, '/ca/sheet')
    const [first] = elements(parsePage(body), 'p')
      .map(textOf)
      .filter((text) => text.startsWith('For devices'))
    assert.equal(first, expected)
  }
})

test('the certificate page links the sheet only over https: over plain http the device may not trust the CA yet', async (t) => {
  const { portal } = await startPublishing(t, ca.certificate, ENV)
  const hasLink = async (headers: RequestHeaders) =>
    (await exchange(portal, '/ca', headers)).body.includes('href="/ca/sheet"')
  assert.deepEqual([await hasLink({}), await hasLink(OVER_HTTP)], [true, false])
})

test('without a proxy nothing mentions one; without a certificate there is no sheet', async (t) => {
  const { portal } = await startPublishing(t, ca.certificate)
  for (const target of ['/proxy.pac', '/ca/sheet']) assert.equal((await exchange(portal, target)).status, 404)
  assert.doesNotMatch((await exchange(portal, '/ca')).body, /proxy|\/ca\/sheet/i)
  const { portal: unpublished } = await startPublishing(t, undefined, ENV)
  assert.equal((await exchange(unpublished, '/ca/sheet')).status, 404)
})
