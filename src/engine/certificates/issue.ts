// Certificates of the interception CA: its own, the proxy's intermediate CA, and the leaves that it signs.
// @peculiar/x509 needs this import before its own.
import 'reflect-metadata'
import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, type webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import * as x509 from '@peculiar/x509'

/** A certificate (PEM) and the private key that belongs to it. */
export interface KeyPair {
  readonly certificate: string
  readonly key: KeyObject
}

export const DAY_MS = 24 * 60 * 60 * 1000
const CA_DAYS = 3652
export const LEAF_DAYS = 90
/** Nothing revokes the proxy's CA, so that a leaked key must expire soon. */
const PROXY_CA_DAYS = 30
/** A certificate is valid this long before it is used, for clients whose clock is slow. */
export const BACKDATED_MS = 60 * 60 * 1000
const MAXIMUM_COMMON_NAME = 64

const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const
const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const

/** A new private key on the curve P-256. */
export function generatePrivateKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: CURVE.namedCurve }).privateKey
}

/**
 * A self-signed certificate for the CA, used from this time on and valid for ten years. Its name contains the month, so
 * that two CAs can be distinguished in a trust store. One intermediate CA is allowed below it.
 */
export async function issueCaCertificate(key: KeyObject, organisation: string, from: number): Promise<string> {
  return await issueRootCertificate(
    key,
    caName(organisation, `Interception CA ${new Date(from).toISOString().slice(0, 7)}`),
    from,
  )
}

/** A self-signed CA certificate with this name: like the interception CA's, but for another purpose. */
export async function issueRootCertificate(key: KeyObject, name: x509.JsonName, from: number): Promise<string> {
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity(from, CA_DAYS),
    serialNumber: serialNumber(),
    subject: name,
    issuer: name,
    publicKey: await verifyingKey(key),
    signingKey: await signingKey(key),
    signingAlgorithm: SIGNATURE,
    extensions: [
      new x509.BasicConstraintsExtension(true, 1, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(await verifyingKey(key)),
    ],
  })
  return `${certificate.toString('pem')}\n`
}

/** Whether this CA may issue an intermediate CA. Engines before 2026.48.0 issued CAs that allow none. */
export function allowsIntermediate(certificate: string): boolean {
  return new x509.X509Certificate(certificate).getExtension(x509.BasicConstraintsExtension)?.pathLength !== 0
}

/**
 * A CA for the proxy, below the interception CA: for server certificates only, with no further CA below it, valid for 30
 * days and no longer than its issuer. Its name differs from that of every other one, because clients that find two
 * certificates with one name and different keys may try the wrong one.
 */
export async function issueProxyCaCertificate(
  ca: KeyPair,
  key: KeyObject,
  organisation: string,
  now: number,
): Promise<string> {
  const issuer = new x509.X509Certificate(ca.certificate)
  const identifier = await x509.SubjectKeyIdentifierExtension.create(await verifyingKey(key))
  const { notBefore, notAfter } = validity(now, PROXY_CA_DAYS)
  const certificate = await x509.X509CertificateGenerator.create({
    notBefore,
    notAfter: notAfter < issuer.notAfter ? notAfter : issuer.notAfter,
    serialNumber: serialNumber(),
    subject: caName(organisation, `Proxy CA ${identifier.keyId.slice(0, 8)}`),
    issuer: issuer.subjectName,
    publicKey: await verifyingKey(key),
    signingKey: await signingKey(ca.key),
    signingAlgorithm: SIGNATURE,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      await x509.AuthorityKeyIdentifierExtension.create(await verifyingKey(ca.key)),
      identifier,
    ],
  })
  return `${certificate.toString('pem')}\n`
}

/** A server certificate for these names (host names and IP addresses), valid for 90 days. */
export async function issueLeafCertificate(
  ca: KeyPair,
  key: KeyObject,
  names: readonly string[],
  now: number,
): Promise<string> {
  const issuer = new x509.X509Certificate(ca.certificate)
  const commonName = commonNameOf(names)
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity(now, LEAF_DAYS),
    serialNumber: serialNumber(),
    subject: commonName === undefined ? [] : distinguishedName({ CN: commonName }),
    issuer: issuer.subjectName,
    publicKey: await verifyingKey(key),
    signingKey: await signingKey(ca.key),
    signingAlgorithm: SIGNATURE,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
        commonName === undefined,
      ),
      await x509.AuthorityKeyIdentifierExtension.create(await verifyingKey(ca.key)),
      await x509.SubjectKeyIdentifierExtension.create(await verifyingKey(key)),
    ],
  })
  return `${certificate.toString('pem')}\n`
}

/** The first one that X.520 allows; undefined if none is short enough. */
export function commonNameOf(names: readonly string[]): string | undefined {
  return names.find((name) => name.length <= MAXIMUM_COMMON_NAME)
}

/** The organisation is part of the common name where both fit. */
function caName(organisation: string, plainName: string): x509.JsonName {
  const commonName = `${organisation} ${plainName}`
  return distinguishedName({
    O: organisation,
    CN: [...commonName].length <= MAXIMUM_COMMON_NAME ? commonName : plainName,
  })
}

function validity(from: number, days: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(from - BACKDATED_MS), notAfter: new Date(from + days * DAY_MS) }
}

/** Random, positive and of constant length: the first byte is from 0x40 to 0x7f. */
function serialNumber(): string {
  const bytes = randomBytes(16)
  bytes.writeUInt8((bytes.readUInt8() & 0x3f) | 0x40)
  return bytes.toString('hex')
}

/** Each attribute as the DER of a UTF8String: in text the library interprets quotes and `#`. */
function distinguishedName(attributes: Readonly<Record<string, string>>): x509.JsonName {
  return Object.entries(attributes).map(([type, value]) => {
    const bytes = Buffer.from(value)
    const length = bytes.length < 0x80 ? [bytes.length] : [0x82, bytes.length >> 8, bytes.length & 0xff]
    return { [type]: [`#${Buffer.from([0x0c, ...length, ...bytes]).toString('hex')}`] }
  })
}

async function signingKey(key: KeyObject): Promise<webcrypto.CryptoKey> {
  return key.toCryptoKey(CURVE, false, ['sign'])
}

async function verifyingKey(key: KeyObject): Promise<webcrypto.CryptoKey> {
  return createPublicKey(key.export({ type: 'pkcs8', format: 'pem' })).toCryptoKey(CURVE, true, ['verify'])
}
