// One CA certificate is extracted from a file; nothing else of the file is used.
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type CaCertificate, parseCaCertificate } from '../../src/certificate/ca-certificate.ts'
import { fingerprint, type MadeCertificate, makeCertificate, openssl } from '../support/certificates.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'

const YEAR = { notBefore: 1_780_000_000, notAfter: 1_811_536_000 }
const LEAF = { extensions: ['basicConstraints=CA:FALSE', 'subjectAltName=DNS:portal.example'] }

describe('a file', { skip: skipWithoutOpenssl }, () => {
  let ca: MadeCertificate
  let leaf: MadeCertificate
  before(() => {
    ca = makeCertificate(YEAR)
    leaf = makeCertificate({ ...YEAR, ...LEAF, subject: '/CN=portal.example', issuer: ca })
  })

  const parse = (content: string | Buffer) => parseCaCertificate(Buffer.from(content))
  const der = (pem: string) => openssl(['x509', '-outform', 'der'], pem)
  /** Asserts that the parsed certificate equals this one, byte for byte. */
  function assertHolds(content: string | Buffer, pem = ca.certificate): CaCertificate {
    const parsed = parse(content)
    assert.ok('der' in parsed, JSON.stringify(parsed))
    assert.deepEqual(parsed.der, der(pem))
    return parsed
  }

  test('with the certificate: agrees with OpenSSL', () => {
    const parsed = assertHolds(ca.certificate)
    assert.equal(parsed.sha256, fingerprint(ca.certificate, 'sha256', 'pem'))
    assert.equal(parsed.sha1, fingerprint(ca.certificate, 'sha1', 'pem'))
    assert.equal(parsed.subject, 'O=Northwind Institute, CN=Northwind CA')
    assert.equal(parsed.name, 'Northwind CA')
    assert.equal(parsed.notBefore, YEAR.notBefore * 1000)
    assert.equal(parsed.notAfter, YEAR.notAfter * 1000)
  })

  test('with a private key, or a chain, before or after: gives only the CA certificate', () => {
    const encrypted = openssl(['pkcs8', '-topk8', '-v2', 'aes-256-cbc', '-passout', 'pass:zq'], ca.key).toString()
    assert.match(encrypted, /BEGIN ENCRYPTED PRIVATE KEY/)
    for (const other of [ca.key, encrypted, leaf.certificate]) {
      assertHolds(other + ca.certificate)
      assertHolds(ca.certificate + other)
    }
  })

  test('with text around, Windows line ends, a byte order mark, or corrupt certificates next to it: gives the certificate', () => {
    const verbose = openssl(['x509', '-text'], ca.certificate).toString()
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\n'
    for (const text of [verbose, ca.certificate.replaceAll('\n', '\r\n'), `\ufeff${ca.certificate}`, broken]) {
      assertHolds(text.includes('MII') ? text : text + ca.certificate)
    }
  })

  test('in DER, with trailing bytes: gives the certificate', () => {
    assertHolds(der(ca.certificate))
    assertHolds(Buffer.concat([der(ca.certificate), Buffer.from(ca.key)]))
  })

  test('of an RSA key, and of a CA that another one signed: gives the certificate', () => {
    const rsa = makeCertificate({ ...YEAR, algorithm: 'RSA' })
    assertHolds(rsa.certificate, rsa.certificate)
    const intermediate = makeCertificate({ ...YEAR, subject: '/CN=Intermediate', issuer: ca })
    assertHolds(intermediate.certificate, intermediate.certificate)
  })

  test('without exactly one CA certificate: gives none, with the reason', () => {
    const none = 'it holds no CA certificate'
    const other = makeCertificate(YEAR)
    const pkcs12 = openssl(['pkcs12', '-export', '-passout', 'pass:zq', '-nocerts'], ca.key)
    const cases: readonly [string | Buffer, string][] = [
      ['', none],
      [Buffer.alloc(3000, 0x30), none],
      [ca.key, none],
      [pkcs12, none],
      [leaf.certificate, none],
      [der(leaf.certificate), none],
      [ca.certificate.slice(0, -40), none],
      [der(ca.certificate).subarray(0, -1), none],
      [ca.certificate.replace('-----BEGIN CERTIFICATE-----', '-----BEGIN TRUSTED CERTIFICATE-----'), none],
      [ca.certificate + other.certificate, 'it holds 2 CA certificates and must hold one'],
    ]
    for (const [content, unusable] of cases) assert.deepEqual(parse(content), { unusable })
  })

  test('half one certificate, half another: gives none', () => {
    // Of equal length, as when one of two RSA certificates of one name is written over the other.
    const make = () => der(makeCertificate({ ...YEAR, algorithm: 'RSA' }).certificate)
    const start = make()
    let end = make()
    // A serial number may be a byte shorter.
    while (end.length !== start.length) end = make()
    const torn = Buffer.concat([start.subarray(0, 500), end.subarray(500)])
    assert.equal(openssl(['x509', '-inform', 'der', '-noout', '-subject'], torn).length > 0, true)
    assert.deepEqual(parse(torn), { unusable: 'it holds no CA certificate' })
  })

  test('with a hostile name: is kept on one line', () => {
    const hostile = makeCertificate({ ...YEAR, subject: '/O=<b>\u202e, CN\\=x/CN=a\nb"&\u00fc' })
    const { subject, name } = assertHolds(hostile.certificate, hostile.certificate)
    assert.equal(subject, 'O=\\<b\\>\u202e\\, CN=x, CN=a\\0Ab\\"&\u00fc')
    assert.equal(name, 'a\nb"&\u00fc')
    const nameless = makeCertificate({ ...YEAR, subject: '/C=CH/O=Northwind' })
    assert.equal(assertHolds(nameless.certificate, nameless.certificate).name, 'C=CH, O=Northwind')
  })

  test('with 256 KiB of BEGIN lines: is rejected in linear time', () => {
    const begins = '-----BEGIN CERTIFICATE-----\nAAAA'.repeat(8000)
    const started = performance.now()
    assert.deepEqual(parse(begins), { unusable: 'it holds no CA certificate' })
    assert.ok(performance.now() - started < 500)
  })
})
