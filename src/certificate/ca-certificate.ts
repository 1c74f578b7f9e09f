// Extracts the interception CA's certificate from the engine's file, whatever else that contains. Downloads are generated
// from the result, never copied from the file.
import { X509Certificate } from 'node:crypto'

export interface CaCertificate {
  /** The certificate only. */
  readonly der: Buffer
  /** Upper-case hexadecimal with a colon between bytes, as OpenSSL prints it. */
  readonly sha256: string
  readonly sha1: string
  /** The subject's attributes in their order: `O=Northwind Institute, CN=Northwind CA`. */
  readonly subject: string
  /** The name in trust stores: its common name, or the whole subject. */
  readonly name: string
  /** Milliseconds since 1970. */
  readonly notBefore: number
  readonly notAfter: number
}

/** Why a file contains no usable certificate; safe for logs, without any of the file's content. */
export interface Unusable {
  readonly unusable: string
}

const PEM = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g
const DER_SEQUENCE = 0x30

/** The only CA certificate in this file, in PEM among other content, or in DER. */
export function parseCaCertificate(file: Uint8Array): CaCertificate | Unusable {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  const blocks = Array.from(bytes.toString('latin1').matchAll(PEM), ([, base64 = '']) => Buffer.from(base64, 'base64'))
  const candidates = blocks.length === 0 && bytes[0] === DER_SEQUENCE ? [bytes] : blocks
  const found = candidates.flatMap(parseCa)
  const [certificate] = found
  if (certificate === undefined) return { unusable: 'it holds no CA certificate' }
  if (found.length > 1) return { unusable: `it holds ${found.length} CA certificates and must hold one` }
  return describe(certificate)
}

function parseCa(der: Buffer): X509Certificate[] {
  try {
    const certificate = new X509Certificate(der)
    return certificate.ca && isDated(certificate) && isWhole(certificate) ? [certificate] : []
  } catch {
    return []
  }
}

/**
 * OpenSSL accepts a certificate with invalid dates, which would never expire. Only their text shows it ("Bad time value"):
 * Node 26 then returns any date, because `ASN1_TIME_to_tm` has set none.
 */
function isDated({ validFrom, validTo, validFromDate, validToDate }: X509Certificate): boolean {
  const areDates = [validFrom, validTo].every((text) => !Number.isNaN(Date.parse(text)))
  return areDates && validFromDate.getTime() < validToDate.getTime()
}

/** A file read while it is overwritten may mix two certificates: only the signature shows it. */
function isWhole(certificate: X509Certificate): boolean {
  return !certificate.checkIssued(certificate) || certificate.verify(certificate.publicKey)
}

function describe(certificate: X509Certificate): CaCertificate {
  const subject = certificate.subject.replaceAll('\n', ', ')
  const commonName: unknown = certificate.toLegacyObject().subject.CN
  return {
    der: certificate.raw,
    sha256: certificate.fingerprint256,
    sha1: certificate.fingerprint,
    subject,
    name: typeof commonName === 'string' ? commonName : subject,
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
  }
}
