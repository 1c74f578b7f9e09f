// The certificate downloads: that the portal serves the certificate and nothing else.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { watch } from '../../../src/certificate/watch.ts'
import { fingerprint, type MadeCertificate, makeCertificate, openssl, replaceFile } from '../../support/certificates.ts'
import { claims, verdictTarget } from '../../support/payloads.ts'
import { NOW } from '../../support/portal.ts'
import { skipWithoutOpenssl } from '../../support/requirement.ts'
import { elements, only, parsePage, textOf } from '../markup.ts'
import { DAY, download, OVER_HTTP, type PublishingPortal, startPublishing, YEAR } from './published-ca.ts'

const DOWNLOADS = ['/ca.crt', '/ca.cer', '/ca.mobileconfig']
const PAGES = ['/privacy', '/nowhere', verdictTarget(claims(NOW)), verdictTarget(claims(NOW - 301))]
const LEAF = { extensions: ['basicConstraints=CA:FALSE', 'subjectAltName=DNS:portal.example'] }

describe('the downloads', { skip: skipWithoutOpenssl }, () => {
  let ca: MadeCertificate
  let other: MadeCertificate
  let leaf: MadeCertificate
  before(() => {
    ca = makeCertificate(YEAR)
    other = makeCertificate({ ...YEAR, subject: '/CN=Another CA' })
    leaf = makeCertificate({ ...YEAR, ...LEAF, issuer: ca })
  })

  const sha256 = ({ certificate }: MadeCertificate) => fingerprint(certificate, 'sha256', 'pem')
  const contents = () => {
    const encrypted = openssl(['pkcs8', '-topk8', '-passout', 'pass:zq'], ca.key).toString()
    return {
      good: [
        ca.certificate,
        ca.certificate + ca.key,
        ca.key + ca.certificate,
        encrypted + ca.certificate,
        leaf.certificate + leaf.key + ca.certificate,
        ca.certificate + leaf.certificate,
        openssl(['x509', '-outform', 'der'], ca.certificate),
      ],
      bad: [
        '',
        'garbage',
        ca.key,
        encrypted,
        leaf.certificate,
        ca.certificate + other.certificate,
        ca.certificate.slice(0, 400),
        openssl(['pkcs12', '-export', '-passout', 'pass:zq'], ca.key + ca.certificate),
      ],
    }
  }

  async function assertNowhere({ portal }: PublishingPortal): Promise<void> {
    for (const path of ['/ca', ...DOWNLOADS]) {
      for (const query of ['', '?which=next', '?lang=de', '?x']) {
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

  test('serves only the certificate, with any other content in the file', async (t) => {
    const publishing = await startPublishing(t)
    for (const content of contents().good) {
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

  test('a file without a CA certificate: 404, and no page links it', async (t) => {
    for (const content of contents().bad) await assertNowhere(await startPublishing(t, content))
  })

  test('a missing file, a directory, an expired certificate: the same', async (t) => {
    await assertNowhere(await startPublishing(t))
    const directory = await startPublishing(t)
    mkdirSync(directory.path)
    await directory.portal.certificates.refresh()
    await assertNowhere(directory)
    await assertNowhere(await startPublishing(t, makeCertificate({ ...YEAR, notAfter: NOW }).certificate))
  })

  test('a valid certificate while inspection is off: the same', async (t) => {
    await assertNowhere(await startPublishing(t, ca.certificate, { GATEWAY_CAPTIVE_SSL_BUMP: 'off' }))
  })

  test('every page links it exactly as long as it exists', async (t) => {
    const publishing = await startPublishing(t, ca.certificate)
    for (const page of PAGES) assert.match((await download(publishing.portal, page)).bytes.toString(), /href="\/ca"/)
    rmSync(publishing.path)
    await publishing.portal.certificates.refresh()
    await assertNowhere(publishing)
    await publishing.publish(ca.certificate)
    for (const page of PAGES) assert.match((await download(publishing.portal, page)).bytes.toString(), /href="\/ca"/)
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
    for (const path of DOWNLOADS) {
      const etag = String((await download(portal, path)).headers.etag)
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, `"other",W/${etag}`, '*']) {
        const { status, headers, bytes } = await download(portal, path, { 'If-None-Match': known })
        assert.deepEqual([status, bytes.length], [304, 0], known)
        assert.equal(headers.etag, etag)
        assert.equal(headers['cache-control'], 'no-cache')
        assert.equal(headers['content-length'], undefined)
      }
      for (const known of ['"other"', etag.slice(1, -1), `x${etag}`, '']) {
        assert.equal((await download(portal, path, { 'If-None-Match': known })).status, 200, known)
      }
      assert.equal((await download(portal, path, { 'If-None-Match': etag }, 'HEAD')).status, 304)
      await publishing.publish(other.certificate)
      assert.equal((await download(portal, path, { 'If-None-Match': etag })).status, 200)
      await publishing.publish(ca.certificate)
    }
  })

  test('the next certificate has its own files, and is 404 otherwise', async (t) => {
    const publishing = await startPublishing(t, ca.certificate)
    const { portal, nextPath } = publishing
    for (const path of DOWNLOADS) assert.equal((await download(portal, `${path}?which=next`)).status, 404)
    await publishing.publish(other.key + other.certificate, nextPath)
    const next = await download(portal, '/ca.crt?which=next')
    assert.equal(fingerprint(next.bytes, 'sha256', 'pem'), sha256(other))
    assert.equal(fingerprint((await download(portal, '/ca.crt')).bytes, 'sha256', 'pem'), sha256(ca))
    assert.notEqual(
      next.headers['content-disposition'],
      (await download(portal, '/ca.crt')).headers['content-disposition'],
    )
    for (const path of DOWNLOADS) {
      const { status, bytes } = await download(portal, `${path}?which=next`, OVER_HTTP)
      assert.equal(status, 200)
      assert.doesNotMatch(bytes.toString('latin1'), /KEY-/)
    }
  })

  test('whatever else is in the query, or a slash at the end, is ignored; another file or method is refused', async (t) => {
    const { portal } = await startPublishing(t, ca.certificate)
    for (const path of DOWNLOADS) {
      const { bytes } = await download(portal, path)
      for (const query of ['?', '?x', '?WHICH=next', '?utm_source=x&fbclid=y', '?awhich=next', '?lang=de']) {
        for (const headers of [{}, OVER_HTTP]) {
          for (const target of [path + query, `${path}/${query}`]) {
            const file = await download(portal, target, headers)
            assert.deepEqual([file.status, file.bytes], [200, bytes], target)
          }
        }
      }
      for (const query of [
        '?which',
        '?which=',
        '?which=now',
        '?x&which=now',
        '?which=%6eext',
        '?which=now&which=next',
      ]) {
        assert.equal((await download(portal, path + query)).status, 400, query)
      }
      for (const query of ['?which=next', '?x&which=next']) {
        assert.equal((await download(portal, path + query)).status, 404, query)
      }
      assert.equal((await download(portal, path, {}, 'POST')).status, 405)
      for (const odd of [`${path}//`, path.toUpperCase(), `/${path}`, `${path};x`]) {
        assert.equal((await download(portal, odd)).status, 404, odd)
      }
    }
  })

  test('the profile names the operator, or the product without one', async (t) => {
    const env = { GATEWAY_ORG_NAME: 'Müller & <Söhne>' }
    const { portal } = await startPublishing(t, ca.certificate, env)
    const named = (await download(portal, '/ca.mobileconfig')).bytes.toString()
    assert.ok(named.includes('<key>PayloadOrganization</key><string>Müller &amp; &lt;Söhne&gt;</string>'))
    const nameless = { GATEWAY_CAPTIVE_BRAND_COMPANY: '', GATEWAY_CAPTIVE_BRAND_PRODUCT: 'Portal 1' }
    const plain = await startPublishing(t, ca.certificate, nameless)
    const unnamed = (await download(plain.portal, '/ca.mobileconfig')).bytes.toString()
    assert.ok(unnamed.includes('<key>PayloadOrganization</key><string>Portal 1</string>'))
  })

  test('rewritten repeatedly while being fetched: complete, never empty, and consistent with the page', async (t) => {
    const { portal, path } = await startPublishing(t, ca.certificate)
    t.after(await watch(portal.certificates, 1))
    const known = new Map(
      [ca, other].map((one) => [sha256(one), openssl(['x509', '-outform', 'der'], one.certificate)]),
    )
    let isWriting = true

    const rewrite = async () => {
      // The last round writes the other certificate.
      for (let round = 0; round < 202; round++) {
        const { certificate } = round % 3 === 0 ? other : ca
        if (round % 2 === 0) replaceFile(path, certificate)
        else {
          // In place, and briefly truncated.
          writeFileSync(path, certificate.slice(0, round % certificate.length))
          await new Promise(setImmediate)
          writeFileSync(path, certificate + leaf.certificate)
        }
        await new Promise(setImmediate)
      }
      isWriting = false
    }
    const fetchAll = async () => {
      let fetched = 0
      for (; isWriting || fetched < 20; fetched++) {
        const page = await download(portal, '/ca', OVER_HTTP)
        const pem = await download(portal, '/ca.crt', OVER_HTTP)
        const der = await download(portal, '/ca.cer', OVER_HTTP)
        const profile = await download(portal, '/ca.mobileconfig', OVER_HTTP)
        assert.deepEqual([page.status, pem.status, der.status, profile.status], [200, 200, 200, 200])
        const shown = textOf(only(parsePage(page.bytes.toString()), 'id', 'sha256'))
        // Each is one of the two, complete, and its name identifies it; the page links it by the same name.
        const expected = known.get(shown)
        assert.ok(expected !== undefined, shown)
        const files = new Map(
          [...known].map(([name, bytes]) => [name.replaceAll(':', '').slice(0, 8).toLowerCase(), bytes]),
        )
        const bytesOf = ({ headers }: typeof pem) => {
          const [, start = ''] = /gateway-ca-([0-9a-f]{8})\./.exec(String(headers['content-disposition'])) ?? []
          return files.get(start)
        }
        const base64 = (text: string) => Buffer.from(text.replace(/-----[A-Z ]+-----/g, ''), 'base64')
        assert.deepEqual(base64(pem.bytes.toString()), bytesOf(pem))
        assert.deepEqual(der.bytes, bytesOf(der))
        const [, data = ''] = /<data>([^<]*)<\/data>/.exec(profile.bytes.toString()) ?? []
        assert.deepEqual(Buffer.from(data, 'base64'), bytesOf(profile))
      }
      t.diagnostic(`${fetched} rounds of downloads`)
    }
    await Promise.all([rewrite(), fetchAll()])
    // Afterwards, page and downloads are consistent.
    await portal.certificates.refresh()
    const page = parsePage((await download(portal, '/ca')).bytes.toString())
    assert.equal(textOf(only(page, 'id', 'sha256')), sha256(other))
    assert.equal(fingerprint((await download(portal, '/ca.crt')).bytes, 'sha256', 'pem'), sha256(other))
    assert.equal(elements(page, 'h1').length, 1)
  })

  test('stays for ten seconds while the file is being written, and is then removed', async (t) => {
    const publishing = await startPublishing(t, ca.certificate)
    await publishing.publish('')
    publishing.portal.setTime(NOW + 9)
    assert.equal((await download(publishing.portal, '/ca.crt')).status, 200)
    publishing.portal.setTime(NOW + 10)
    await assertNowhere(publishing)
    publishing.portal.setTime(NOW + DAY)
    await publishing.publish(ca.certificate)
    assert.equal((await download(publishing.portal, '/ca.crt')).status, 200)
  })
})
