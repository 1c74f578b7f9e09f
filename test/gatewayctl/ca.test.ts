// `portal ca`: with a published certificate, and without one.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
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

  test('shows what the certificate page shows, in the same groups; never the key next to it', async (t) => {
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

    const words = text.stdout.split(/\s+/)
    for (const { certificate } of [current, next]) {
      for (const digest of ['sha256', 'sha1'] as const) {
        const said = fingerprint(certificate, digest, 'pem')
        const groups = said.match(/(?:\w\w:?){1,4}/g) ?? []
        const pairs = said.match(/(?:\w\w:?){1,8}/g) ?? []
        const markup = pairs.map((pair) => `<span>${pair.replace(/(?:\w\w:?){1,4}/g, '<span>$&</span>')}</span>`)
        assert.ok(page.includes(markup.join('')), 'the page groups it so')
        const at = words.indexOf(groups[0] as string)
        assert.deepEqual(words.slice(at, at + groups.length), groups)
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
    const folder = temporaryFolder(t)
    const path = join(folder, 'ca.crt')
    const shown = async (options: Parameters<typeof makeCertificate>[0]) => {
      writeFileSync(path, makeCertificate(options).certificate)
      return await gatewayctl(CA, { env: { GATEWAY_CAPTIVE_CA_PATH: path } })
    }
    const soon = await shown({ ...valid, notAfter: now + 12 * DAY, subject: HOSTILE })
    assert.equal(soon.status, 0)
    assert.match(soon.stdout, /^Days left {3}12 \(it expires soon\)$/m)
    assert.doesNotMatch(soon.stdout.replaceAll('\n', ''), /\p{C}/u)
    const early = await shown({ notBefore: now + DAY, notAfter: now + 90 * DAY })
    assert.match(early.stdout, /^Valid from .*Z \(not yet\)$/m)
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

  test('without a certificate it fails with the reason', async (t) => {
    const folder = temporaryFolder(t)
    const file = (name: string, content: string) => {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    }
    mkdirSync(join(folder, 'folder'))
    const leaf = makeCertificate({ ...valid, extensions: ['basicConstraints=CA:FALSE'] })
    const cases: readonly [Record<string, string>, RegExp][] = [
      [{}, /there is no file \/run\/gateway\/ca\/ca\.crt \(GATEWAY_CAPTIVE_CA_PATH\)/],
      [{ GATEWAY_CAPTIVE_CA_PATH: join(folder, 'none') }, /there is no file .*none \(GATEWAY_CAPTIVE_CA_PATH\)/],
      [{ GATEWAY_CAPTIVE_CA_PATH: join(folder, 'folder') }, /folder: it is not a regular file/],
      [{ GATEWAY_CAPTIVE_CA_PATH: file('empty', '') }, /empty: it holds no CA certificate/],
      [{ GATEWAY_CAPTIVE_CA_PATH: file('leaf', leaf.certificate) }, /leaf: it holds no CA certificate/],
      [{ GATEWAY_CAPTIVE_CA_PATH: file('two', current.certificate + next.certificate) }, /two: it holds 2 CA/],
      [
        {
          GATEWAY_CAPTIVE_CA_PATH: file(
            'expired',
            makeCertificate({ notBefore: now - 9 * DAY, notAfter: now - DAY }).certificate,
          ),
        },
        /the one in .*expired expired on 20\d\d-/,
      ],
      [
        { GATEWAY_CAPTIVE_CA_PATH: file('good', current.certificate), GATEWAY_CAPTIVE_SSL_BUMP: 'off' },
        /inspection is off \(GATEWAY_CAPTIVE_SSL_BUMP\)/,
      ],
    ]
    const outcomes = await Promise.all(cases.map(([env]) => gatewayctl([...CA, '--json'], { env })))
    for (const [at, { status, stdout, stderr }] of outcomes.entries()) {
      assert.deepEqual([status, stdout], [1, ''])
      assert.match(stderr, cases[at]?.[1] ?? assert.fail())
      assert.equal(stderr.trim().split('\n').length, 1)
    }
  })

  test('misconfiguration exits with 2', async () => {
    const { status, stderr } = await gatewayctl(CA, { env: { GATEWAY_CAPTIVE_SSL_BUMP: 'maybe' } })
    assert.equal(status, 2)
    assert.match(stderr, /GATEWAY_CAPTIVE_SSL_BUMP must be on or off/)
  })
})
