// The certificate downloads: that the portal serves the certificate and nothing else. Their formats and names:
// test/certificate/downloads.test.ts; what is offered while files change: test/certificate/watch.test.ts.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { fingerprint, type MadeCertificate, makeCertificate, openssl } from '../../support/certificates.ts'
import { claims, verdictTarget } from '../../support/payloads.ts'
import { NOW } from '../../support/portal.ts'
import { skipWithoutOpenssl } from '../../support/requirement.ts'
import { exchange } from '../exchange.ts'
import { OVER_HTTP, type PublishingPortal, startPublishing, YEAR } from './published-ca.ts'

const DOWNLOADS = ['/ca.crt', '/ca.cer', '/ca.mobileconfig']
const PAGES = ['/privacy', '/nowhere', verdictTarget(claims(NOW)), verdictTarget(claims(NOW - 301))]
const LEAF = { extensions: ['basicConstraints=CA:FALSE', 'subjectAltName=DNS:portal.example'] }

async function download(...request: Parameters<typeof exchange>) {
  const { status, headers, bytes } = await exchange(...request)
  return { status, headers: Object.fromEntries(headers), bytes }
}

describe('the downloads', { skip: skipWithoutOpenssl }, () => {
  let ca: MadeCertificate
  let other: MadeCertificate
  let leaf: MadeCertificate
  let encryptedKey: string
  before(() => {
    ca = makeCertificate(YEAR)
    other = makeCertificate({ ...YEAR, subject: '/CN=Another CA' })
    leaf = makeCertificate({ ...YEAR, ...LEAF, issuer: ca })
    encryptedKey = openssl(['pkcs8', '-topk8', '-passout', 'pass:zq'], ca.key).toString()
  })

  const sha256 = ({ certificate }: MadeCertificate) => fingerprint(certificate, 'sha256', 'pem')

  async function assertNowhere({ portal }: PublishingPortal): Promise<void> {
    for (const path of ['/ca', ...DOWNLOADS]) {
      for (const query of ['', '?which=next']) {
        for (const headers of [{}, OVER_HTTP]) {
          const { status, bytes } = await download(portal, path + query, headers)
          assert.equal(status, 404, path)
          assert.doesNotMatch(bytes.toString('latin1'), /PRIVATE KEY|BEGIN CERTIFICATE/)
        }
      }
    }
    for (const page of PAGES) {
      const { bytes } = await download(portal, page)
      assert.doesNotMatch(bytes.toString(), /href="\/ca/, page)
    }
  }

  async function assertLinked({ portal }: PublishingPortal): Promise<void> {
    for (const page of PAGES) assert.match((await download(portal, page)).bytes.toString(), /href="\/ca"/)
  }

  test('serves only the certificate, with any other content in the file', async (t) => {
    const publishing = await startPublishing(t)
    for (const content of [
      ca.certificate + ca.key,
      encryptedKey + ca.certificate,
      leaf.certificate + leaf.key + ca.certificate,
      openssl(['x509', '-outform', 'der'], ca.certificate),
    ]) {
      await publishing.publish(content)
      for (const path of DOWNLOADS) {
        for (const headers of [{}, OVER_HTTP]) {
          const { status, bytes } = await download(publishing.portal, path, headers)
          assert.equal(status, 200)
          assert.doesNotMatch(bytes.toString('latin1'), /KEY-/)
          if (path === '/ca.crt') assert.equal(fingerprint(bytes, 'sha256', 'pem'), sha256(ca))
          if (path === '/ca.cer') assert.equal(fingerprint(bytes, 'sha256', 'der'), sha256(ca))
        }
      }
    }
  })

  test('no file, or one without a valid CA certificate: 404, and no page links it', async (t) => {
    const pkcs12 = openssl(['pkcs12', '-export', '-passout', 'pass:zq'], ca.key + ca.certificate)
    const expired = makeCertificate({ ...YEAR, notAfter: NOW }).certificate
    for (const content of [undefined, ca.key, encryptedKey, leaf.certificate, pkcs12, expired]) {
      await assertNowhere(await startPublishing(t, content))
    }
  })

  test('a valid certificate while inspection is off: the same', async (t) => {
    await assertNowhere(await startPublishing(t, ca.certificate, { GATEWAY_CAPTIVE_SSL_BUMP: 'off' }))
  })

  test('every page links it exactly as long as it exists', async (t) => {
    const publishing = await startPublishing(t, ca.certificate)
    await assertLinked(publishing)
    rmSync(publishing.path)
    await publishing.portal.certificates.refresh()
    await assertNowhere(publishing)
    await publishing.publish(ca.certificate)
    await assertLinked(publishing)
  })

  test('types, names and headers, the same for HEAD', async (t) => {
    const { portal } = await startPublishing(t, ca.certificate)
    const start = sha256(ca).replaceAll(':', '').slice(0, 8).toLowerCase()
    for (const [path, type] of [
      ['/ca.crt', 'application/x-x509-ca-cert'],
      ['/ca.cer', 'application/x-x509-ca-cert'],
      ['/ca.mobileconfig', 'application/x-apple-aspen-config'],
    ] as const) {
      const { status, headers, bytes } = await download(portal, path)
      const { date, connection, 'permissions-policy': permissions, etag, ...rest } = headers
      assert.equal(status, 200)
      assert.match(String(etag), /^"[\w-]+"$/)
      assert.match(String(permissions), /camera=\(\)/)
      assert.deepEqual(rest, {
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'x-frame-options': 'DENY',
        'x-robots-tag': 'noindex',
        'cache-control': 'no-cache',
        'x-portal-version': portal.config.release.label,
        'content-type': type,
        'content-disposition': `attachment; filename="gateway-ca-${start}${path.slice(3)}"`,
        'content-length': String(bytes.length),
      })
      const head = await download(portal, path, {}, 'HEAD')
      assert.equal(head.bytes.length, 0)
      assert.deepEqual({ ...head.headers, date: '', connection: '' }, { ...headers, date: '', connection: '' })
    }
  })

  test('a browser that has it gets 304, until it changes', async (t) => {
    const publishing = await startPublishing(t, ca.certificate)
    const { portal } = publishing
    const [path] = DOWNLOADS as [string]
    const etag = String((await download(portal, path)).headers.etag)
    for (const known of [etag, `W/${etag}`, `"other",W/${etag}`, '*']) {
      const { status, headers, bytes } = await download(portal, path, { 'If-None-Match': known })
      assert.deepEqual([status, bytes.length], [304, 0], known)
      assert.equal(headers.etag, etag)
      assert.equal(headers['cache-control'], 'no-cache')
      assert.equal(headers['content-length'], undefined)
    }
    for (const known of ['"other"', etag.slice(1, -1), `x${etag}`, '']) {
      assert.equal((await download(portal, path, { 'If-None-Match': known })).status, 200, known)
    }
    await publishing.publish(other.certificate)
    assert.equal((await download(portal, path, { 'If-None-Match': etag })).status, 200)
  })

  test('the next certificate has its own files, and is 404 otherwise', async (t) => {
    const publishing = await startPublishing(t, ca.certificate)
    const { portal, nextPath } = publishing
    for (const path of DOWNLOADS) assert.equal((await download(portal, `${path}?which=next`)).status, 404)
    await publishing.publish(other.key + other.certificate, nextPath)
    const [current, next] = [await download(portal, '/ca.crt'), await download(portal, '/ca.crt?which=next', OVER_HTTP)]
    assert.equal(fingerprint(next.bytes, 'sha256', 'pem'), sha256(other))
    assert.equal(fingerprint(current.bytes, 'sha256', 'pem'), sha256(ca))
    assert.notEqual(next.headers['content-disposition'], current.headers['content-disposition'])
    assert.doesNotMatch(next.bytes.toString('latin1'), /KEY-/)
  })

  test('whatever else is in the query, or a slash at the end, is ignored; another file or method is refused', async (t) => {
    const { portal } = await startPublishing(t, ca.certificate)
    for (const path of DOWNLOADS) {
      const { bytes } = await download(portal, path)
      for (const query of ['?', '?WHICH=next', '?utm_source=x&fbclid=y', '?lang=de']) {
        for (const target of [path + query, `${path}/${query}`]) {
          const file = await download(portal, target)
          assert.deepEqual([file.status, file.bytes], [200, bytes], target)
        }
      }
      for (const query of ['?which', '?which=', '?x&which=now', '?which=%6eext', '?which=now&which=next']) {
        assert.equal((await download(portal, path + query)).status, 400, query)
      }
      assert.equal((await download(portal, path, {}, 'POST')).status, 405)
      for (const odd of [`${path}//`, path.toUpperCase(), `/${path}`, `${path};x`]) {
        assert.equal((await download(portal, odd)).status, 404, odd)
      }
    }
  })
})
