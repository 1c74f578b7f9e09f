// `portal ca`: with a published certificate, and without one.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { startPublishing as startEngine } from '../engine/publishing.ts'
import { startPublishing } from '../portal/certificate/published-ca.ts'
import { fingerprint, makeCertificate } from '../support/certificates.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { gatewayctl } from './gatewayctl.ts'

const CA = ['portal', 'ca']
const DAY = 86_400
const HOSTILE = '/O=Northwind \u202eetutitsnI/CN=Northwind \u001b[31mCA'

describe('portal ca', { skip: skipWithoutOpenssl }, () => {
  const now = Math.floor(Date.now() / 1000)
  const valid = { notBefore: now - DAY, notAfter: now + 500 * DAY }
  const current = makeCertificate(valid)
  const next = makeCertificate({ notBefore: now + 10 * DAY, notAfter: now + 900 * DAY, subject: '/CN=Next CA' })

  test('shows what the certificate page shows; never the key next to it', async (t) => {
    const { portal, path, publish, nextPath } = await startPublishing(t, current.key + current.certificate)
    await publish(next.certificate, nextPath)
    const env = { GATEWAY_CAPTIVE_CA_PATH: path }
    const [text, json, pem, nextPem, page] = await Promise.all([
      gatewayctl(CA, { env }),
      gatewayctl([...CA, '--json'], { env }),
      gatewayctl([...CA, '--pem'], { env }),
      gatewayctl([...CA, '--pem', '--next'], { env }),
      portal.get('/ca').then((response) => response.text()),
    ])
    for (const { status, stderr } of [text, json, pem, nextPem]) assert.deepEqual([status, stderr], [0, ''])

    const shown = [text.stdout, page.replaceAll(/<\/?span>/g, '')].map((one) => one.replaceAll(/\s/g, ''))
    for (const { certificate } of [current, next]) {
      for (const digest of ['sha256', 'sha1'] as const) {
        for (const one of shown) assert.ok(one.includes(fingerprint(certificate, digest, 'pem')))
      }
    }
    assert.match(text.stdout, /^Subject {5}O=Northwind Institute, CN=Northwind CA$/m)
    assert.match(text.stdout, /^Days left {3}500$/m)
    assert.match(text.stdout, /^Subject {5}CN=Next CA$/m)
    for (const line of text.stdout.split('\n')) assert.ok(line.length <= 80)

    const document = JSON.parse(json.stdout)
    assert.equal(document.path, path)
    assert.deepEqual(document.certificate, {
      subject: 'O=Northwind Institute, CN=Northwind CA',
      not_before: new Date(valid.notBefore * 1000).toISOString().replace('.000', ''),
      not_after: new Date(valid.notAfter * 1000).toISOString().replace('.000', ''),
      days_left: 500,
      sha256: fingerprint(current.certificate, 'sha256', 'pem'),
      sha1: fingerprint(current.certificate, 'sha1', 'pem'),
    })
    assert.equal(document.next.sha256, fingerprint(next.certificate, 'sha256', 'pem'))

    assert.equal(pem.stdout, await portal.get('/ca.crt').then((response) => response.text()))
    assert.equal(nextPem.stdout, await portal.get('/ca.crt?which=next').then((response) => response.text()))
    for (const { stdout } of [text, json, pem]) assert.doesNotMatch(stdout, /PRIVATE/)
  })

  test('accepts the root of the engine, whose path length is 1, as the portal does', async (t) => {
    const engine = await startEngine(t)
    await engine.publish()
    const root = await engine.read('ca/ca.crt')
    const { portal, path } = await startPublishing(t, root)
    const { status, stdout } = await gatewayctl([...CA, '--json'], { env: { GATEWAY_CAPTIVE_CA_PATH: path } })
    assert.equal(status, 0)
    assert.equal(JSON.parse(stdout).certificate.sha256, fingerprint(root, 'sha256', 'pem'))
    const download = await portal.get('/ca.crt').then((response) => response.text())
    assert.equal(fingerprint(download, 'sha256', 'pem'), fingerprint(root, 'sha256', 'pem'))
  })

  test('a certificate about to expire, one not valid yet, and a subject that would act on a terminal', async (t) => {
    const path = join(temporaryFolder(t), 'ca.crt')
    for (const [options, line] of [
      [{ ...valid, notAfter: now + 12 * DAY, subject: HOSTILE }, /^Days left {3}12 \(it expires soon\)$/m],
      [{ notBefore: now + DAY, notAfter: now + 90 * DAY }, /^Valid from .*Z \(not yet\)$/m],
    ] as const) {
      writeFileSync(path, makeCertificate(options).certificate)
      const { status, stdout } = await gatewayctl(CA, { env: { GATEWAY_CAPTIVE_CA_PATH: path } })
      assert.equal(status, 0)
      assert.match(stdout, line)
      assert.doesNotMatch(stdout.replaceAll('\n', ''), /\p{C}/u)
    }
  })

  test('an unusable next certificate is reported, and changes nothing', async (t) => {
    const folder = temporaryFolder(t)
    const path = join(folder, 'ca.crt')
    writeFileSync(path, current.certificate)
    const env = { GATEWAY_CAPTIVE_CA_PATH: path }
    for (const [content, remark] of [
      ['nothing', /^No next certificate: .*ca-next\.crt: it holds no CA certificate\.\n$/],
      [current.certificate, /ca-next\.crt holds the published certificate itself\.\n$/],
    ] as const) {
      writeFileSync(join(folder, 'ca-next.crt'), content)
      const { status, stderr, stdout } = await gatewayctl(CA, { env })
      assert.equal(status, 0)
      assert.match(stderr, remark)
      assert.doesNotMatch(stdout, /next certificate/i)
      const pem = await gatewayctl([...CA, '--pem', '--next'], { env })
      assert.deepEqual([pem.status, pem.stdout], [1, ''])
      assert.match(pem.stderr, /^error: no next certificate is published in the folder of .*ca\.crt\n$/)
    }
  })

  // What counts as a CA certificate: test/certificate/ca-certificate.test.ts.
  test('without a certificate it fails with the reason', async (t) => {
    const folder = temporaryFolder(t)
    const { certificate: expired } = makeCertificate({ notBefore: now - 9 * DAY, notAfter: now - DAY })
    const contents = { empty: '', two: current.certificate + next.certificate, expired, good: current.certificate }
    for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, name), content)
    const cases: readonly [name: string, reason: RegExp, inspection?: string, status?: number][] = [
      ['none', /there is no file .*none \(GATEWAY_CAPTIVE_CA_PATH\)\n$/],
      ['.', /: it is not a regular file\n$/],
      ['empty', /empty: it holds no CA certificate/],
      ['two', /two: it holds 2 CA/],
      ['expired', /the one in .*expired expired on 20\d\d-/],
      ['good', /inspection is off \(GATEWAY_CAPTIVE_SSL_BUMP\)/, 'off'],
      ['good', /GATEWAY_CAPTIVE_SSL_BUMP must be on or off/, 'maybe', 2],
    ]
    for (const [name, reason, inspection = 'on', expected = 1] of cases) {
      const env = { GATEWAY_CAPTIVE_CA_PATH: join(folder, name), GATEWAY_CAPTIVE_SSL_BUMP: inspection }
      const { status, stdout, stderr } = await gatewayctl([...CA, '--json'], { env })
      assert.deepEqual([status, stdout], [expected, ''])
      assert.match(stderr, reason)
    }
  })
})
