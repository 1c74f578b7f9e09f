// The downloads for devices: in readable formats, with nothing but the certificate.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { before, describe, test } from 'node:test'
import { type CaCertificate, parseCaCertificate } from '../../src/certificate/ca-certificate.ts'
import { type CertificateFormat, certificateDownload } from '../../src/certificate/downloads.ts'
import { fingerprint, makeCertificate } from '../support/certificates.ts'
import { hasCommand, skipUnless, skipWithoutOpenssl } from '../support/requirement.ts'

const YEAR = { notBefore: 1_780_000_000, notAfter: 1_811_536_000 }
const FORMATS: readonly CertificateFormat[] = ['crt', 'cer', 'mobileconfig']
const HOSTILE = `A&B </string><key>x</key> "'\u0000\u001b\ud800\u2028 Müller`

describe('downloads', { skip: skipWithoutOpenssl }, () => {
  let certificate: CaCertificate
  let hostile: CaCertificate
  before(() => {
    const made = makeCertificate(YEAR)
    const parse = (text: string) => parseCaCertificate(Buffer.from(text)) as CaCertificate
    certificate = parse(made.certificate + made.key)
    hostile = parse(makeCertificate({ ...YEAR, subject: '/CN=<b>&\n]]>' }).certificate)
  })

  test('OpenSSL reads them, and agrees on the fingerprints', () => {
    for (const [format, form] of [
      ['crt', 'pem'],
      ['cer', 'der'],
    ] as const) {
      const { bytes } = certificateDownload(certificate, format, 'Northwind')
      assert.equal(fingerprint(bytes, 'sha256', form), certificate.sha256)
      assert.equal(fingerprint(bytes, 'sha1', form), certificate.sha1)
    }
  })

  test('the PEM file contains only PEM', () => {
    const { bytes } = certificateDownload(certificate, 'crt', 'Northwind')
    assert.match(
      bytes.toString('latin1'),
      /^-----BEGIN CERTIFICATE-----\n(?:[A-Za-z0-9+/]{64}\n)+[A-Za-z0-9+/=]{1,64}\n-----END CERTIFICATE-----\n$/,
    )
  })

  test('another certificate, format or organisation has another ETag', () => {
    const etags = FORMATS.flatMap((format) =>
      [certificate, hostile].map((one) => certificateDownload(one, format, 'Northwind').etag),
    )
    assert.equal(new Set(etags).size, etags.length)
    for (const etag of etags) assert.match(etag, /^"[\w-]{43}"$/)
    assert.equal(certificateDownload(certificate, 'crt', 'Northwind').etag, etags[0])
    const profiles = ['Northwind', 'Southwind'].map(
      (name) => certificateDownload(certificate, 'mobileconfig', name).etag,
    )
    assert.notEqual(profiles[0], profiles[1])
  })

  describe('the profile, as a plist parser reads it', {
    skip: skipUnless(hasCommand('python3'), 'needs Python: apt-get install python3'),
  }, () => {
    interface Payload {
      readonly [name: string]: string | number | Payload[]
    }
    /** Parses the profile; its data is base64. */
    const read = (one: CaCertificate, organisation: string): Payload => {
      const program =
        'import base64, json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read()), default=lambda data: base64.b64encode(data).decode()))'
      const { bytes } = certificateDownload(one, 'mobileconfig', organisation)
      return JSON.parse(execFileSync('python3', ['-c', program], { input: bytes, encoding: 'utf8' }))
    }
    const contentOf = ({ PayloadContent }: Payload): Payload => {
      assert.ok(Array.isArray(PayloadContent) && PayloadContent.length === 1)
      return PayloadContent[0] as Payload
    }

    test('contains the certificate as a root, and names its organisation', () => {
      const profile = read(certificate, 'Northwind Institute')
      const root = contentOf(profile)
      assert.equal(profile.PayloadType, 'Configuration')
      assert.equal(profile.PayloadVersion, 1)
      assert.equal(profile.PayloadDisplayName, 'Northwind CA')
      assert.equal(profile.PayloadOrganization, 'Northwind Institute')
      assert.equal(profile.PayloadDescription, `SHA-256 ${certificate.sha256}`)
      assert.equal(root.PayloadType, 'com.apple.security.root')
      assert.equal(root.PayloadVersion, 1)
      assert.deepEqual(Buffer.from(String(root.PayloadContent), 'base64'), certificate.der)
    })

    test('is reproducible, and differs for another certificate', () => {
      const identity = (one: CaCertificate, organisation: string) => {
        const profile = read(one, organisation)
        const root = contentOf(profile)
        return [profile, root].flatMap(({ PayloadIdentifier, PayloadUUID }) => [PayloadIdentifier, PayloadUUID])
      }
      const first = identity(certificate, 'Northwind')
      assert.deepEqual(identity(certificate, 'Southwind'), first)
      assert.equal(new Set([...first, ...identity(hostile, 'Northwind')]).size, 8)
      for (const uuid of [first[1], first[3]]) {
        assert.match(String(uuid), /^[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/)
      }
    })

    test('escapes hostile names, and replaces characters that XML cannot contain', () => {
      const profile = read(hostile, HOSTILE)
      assert.equal(profile.PayloadOrganization, HOSTILE.replace(/[\0\x1b\ud800]/g, '\ufffd'))
      assert.equal(profile.PayloadDisplayName, '<b>&\n]]>')
      assert.deepEqual(Object.keys(profile).length, 8)
    })
  })
})
