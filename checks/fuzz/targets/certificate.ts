// The published file: it yields no certificate, or a CA certificate whose downloads contain it and never a private key.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { parseCaCertificate } from '../../../src/certificate/ca-certificate.ts'
import { certificateDownload } from '../../../src/certificate/downloads.ts'
import { sampleCertificate } from '../../../src/portal/preview/sample-certificates.ts'
import type { Target } from '../target.ts'

const KEY = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'
const pem = certificateDownload(sampleCertificate, 'crt', '').bytes.toString()

export const certificate: Target = {
  name: 'certificate',
  seeds: [pem, sampleCertificate.der, KEY + pem, `${pem}${pem}`, KEY, ''],
  tokens: [
    ...['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----', KEY, '\n', '='],
    ...['\x30\x82', '\x02\x01', '\x06\x03\x55\x1d\x13'],
  ],
  run(input) {
    const parsed = parseCaCertificate(input)
    if ('unusable' in parsed) {
      assert.match(parsed.unusable, /^it holds (no CA certificate|\d+ CA certificates and must hold one)$/)
      return
    }
    const again = new X509Certificate(parsed.der)
    assert.ok(again.ca && again.fingerprint256 === parsed.sha256)
    assert.ok(parsed.notBefore < parsed.notAfter)
    for (const format of ['crt', 'cer', 'mobileconfig'] as const) {
      const { bytes, name } = certificateDownload(parsed, format, 'Northwind <&> Institute')
      // The certificate itself may contain anything.
      if (format !== 'cer') assert.ok(!bytes.includes('PRIVATE KEY'))
      assert.match(name, /^gateway-ca-[0-9a-f]{8}\.[a-z]+$/)
      if (format !== 'mobileconfig') assert.equal(new X509Certificate(bytes).fingerprint256, parsed.sha256)
    }
  },
}
