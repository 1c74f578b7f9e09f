// The certificate as downloads, in the formats that systems need.
import { createHash } from 'node:crypto'
import { appleProfile, base64Lines } from './apple-profile.ts'
import type { CaCertificate } from './ca-certificate.ts'

/** The extension of `/ca.crt`, `/ca.cer` and `/ca.mobileconfig`. */
export type CertificateFormat = 'crt' | 'cer' | 'mobileconfig'

export interface CertificateDownload {
  readonly name: string
  readonly mediaType: string
  readonly bytes: Buffer
  /** The header's value, with its quotes. */
  readonly etag: string
}

/** @param organisation the profile's author */
export function certificateDownload(
  certificate: CaCertificate,
  format: CertificateFormat,
  organisation: string,
): CertificateDownload {
  const bytes = content(certificate, format, organisation)
  return {
    name: downloadName(certificate, format),
    mediaType: format === 'mobileconfig' ? 'application/x-apple-aspen-config' : 'application/x-x509-ca-cert',
    bytes,
    etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
  }
}

/** Each certificate has its own name, so that the files of a rotation or of two gateways can share a folder. */
export function downloadName({ sha256 }: Pick<CaCertificate, 'sha256'>, format: CertificateFormat): string {
  return `gateway-ca-${sha256.replaceAll(':', '').slice(0, 8).toLowerCase()}.${format}`
}

function content(certificate: CaCertificate, format: CertificateFormat, organisation: string): Buffer {
  if (format === 'cer') return certificate.der
  if (format === 'mobileconfig') return appleProfile(certificate, organisation)
  return Buffer.from(`-----BEGIN CERTIFICATE-----\n${base64Lines(certificate.der)}\n-----END CERTIFICATE-----\n`)
}
