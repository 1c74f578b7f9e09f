// A sheet to hand out, such as at a parents' evening: a QR code, the certificate's name and fingerprint, and three steps.

import { type Html, html } from '../../html/html.ts'
import { detailRow } from '../page/detail-row.ts'
import { frame, plainOperatorName, type Visit } from '../page/frame.ts'
import { SIGNS, signImage } from '../page/sign.ts'
import { grouped, type ShownCertificate } from './page.ts'
import { proxyDetails, type ShownProxy } from './proxy-steps.ts'
import { copyable } from './systems.ts'

export interface SheetProps {
  readonly certificate: ShownCertificate
  readonly proxy: ShownProxy
  /** The certificate page's address over plain http, and its QR code. */
  readonly address: string
  readonly qrCode: Html
}

export function sheetPage(visit: Visit, { certificate, proxy, address, qrCode }: SheetProps): Html {
  const { t, site } = visit
  const { sheet, details } = t.certificate
  return frame(visit, {
    title: sheet.heading,
    sign: SIGNS.certificate,
    explainsCertificates: true,
    inLanguage: (locale) => `/ca/sheet?lang=${locale}`,
    style: site.certificateStyle,
    body: html`${signImage(SIGNS.certificate)}
<h1>${sheet.heading}</h1>
<p>${site.operator ? sheet.introductionOf(plainOperatorName(visit)) : sheet.introduction}</p>
<ol class="sheet">
<li><p>${sheet.open}</p>${qrCode}${copyable('address', address)}</li>
<li><p>${sheet.install}</p><dl>${detailRow(details.name, html`<bdi translate="no">${certificate.name}</bdi>`)}${detailRow(details.fingerprint('SHA-256'), copyable('sha256', certificate.sha256, grouped(certificate.sha256)), true)}</dl></li>
<li><p>${sheet.setProxy}</p>${proxyDetails(visit, proxy)}</li>
</ol>`,
  })
}
