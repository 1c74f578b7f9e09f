// The certificate as files, one for each way in which systems want it.
import { createHash } from 'node:crypto'
import { appleProfile, base64Lines } from './apple-profile.ts'
import type { CaCertificate } from './ca-certificate.ts'

/** What stands behind the dot of `/ca.crt`, `/ca.cer` and `/ca.mobileconfig`. */
export type CertificateFormat = 'crt' | 'cer' | 'mobileconfig'

export interface CertificateDownload {
  readonly name: string
  readonly mediaType: string
  readonly bytes: Buffer
  /** As it stands in the header, with its quotes. */
  readonly etag: string
}

/** @param organisation who is named in the profile */
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

/** Another name for another certificate: files of a rotation, or of two gateways, stay apart in one folder. */
export function downloadName({ sha256 }: Pick<CaCertificate, 'sha256'>, format: CertificateFormat): string {
  return `gateway-ca-${sha256.replaceAll(':', '').slice(0, 8).toLowerCase()}.${format}`
}

function content(certificate: CaCertificate, format: CertificateFormat, organisation: string): Buffer {
  if (format === 'cer') return certificate.der
  if (format === 'mobileconfig') return appleProfile(certificate, organisation)
  return Buffer.from(`-----BEGIN CERTIFICATE-----\n${base64Lines(certificate.der)}\n-----END CERTIFICATE-----\n`)
}
