// Properties of the certificate page, for tests of its texts and markup.

import type { CertificatePageProps, ShownCertificate } from '../../../src/portal/certificate/page.ts'
import { html } from '../../../src/portal/page/html.ts'
import { NOW } from '../../support/portal.ts'

const DAY_MS = 86_400_000
const file = (name: string) => ({ href: `/ca.${name}`, name: `gateway-ca-4af2986d.${name}` })

/** Valid for twenty days from the day `notBefore`, counted from today. */
export function shownCertificate(notBefore: number): ShownCertificate {
  const today = NOW * 1000
  return {
    name: 'Northwind CA',
    subject: 'CN=Northwind CA',
    sha256: Array(32).fill('4A').join(':'),
    sha1: Array(20).fill('4A').join(':'),
    notBefore: today + notBefore * DAY_MS,
    notAfter: today + (notBefore + 20) * DAY_MS,
    files: { crt: file('crt'), cer: file('cer'), mobileconfig: file('mobileconfig') },
  }
}

/** Over https, on an unknown system, about to expire. */
export const certificateProps: CertificatePageProps = {
  certificate: shownCertificate(-1),
  next: undefined,
  now: NOW * 1000,
  system: undefined,
  isSheet: false,
  isPlainHttp: false,
  isLanguageInAddress: false,
  address: 'http://portal.example/ca',
  qrCode: html``,
  origin: 'https://portal.example',
}
