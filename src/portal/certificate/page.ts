// The certificate page: the certificate's purpose, installation steps, a trust test, and fingerprints to compare. The
// download comes first: on a phone it is on the first screen. The page has to work over plain http, before the CA is
// trusted, so nothing on it needs another request.

import { type Html, html } from '../../html/html.ts'
import { detailRow } from '../page/detail-row.ts'
import { frame, type Visit } from '../page/frame.ts'
import type { Messages } from '../page/i18n/en.ts'
import { formatDate, formatDays, formatNumber } from '../page/i18n/format.ts'
import { SIGNS, signImage } from '../page/sign.ts'
import { proxySteps, type ShownProxy } from './proxy-steps.ts'
import { copyable, fileList, type InstallProps, installSteps, type System } from './systems.ts'

/** A certificate as the page shows it. */
export interface ShownCertificate extends InstallProps {
  readonly subject: string
  /** Upper-case hexadecimal with a colon between bytes. */
  readonly sha256: string
  readonly sha1: string
  /** Milliseconds since 1970. */
  readonly notBefore: number
  readonly notAfter: number
}

export interface CertificatePageProps {
  readonly certificate: ShownCertificate
  /** The gateway uses it from its `notBefore` on. */
  readonly next: ShownCertificate | undefined
  /** What devices are set to; undefined where they need none. */
  readonly proxy: ShownProxy | undefined
  /** Milliseconds since 1970. */
  readonly now: number
  /** The visitor's, if known. */
  readonly system: System | undefined
  /** Whether the page is in a sign-in sheet instead of a browser. */
  readonly isSheet: boolean
  readonly isPlainHttp: boolean
  /** Whether the language is kept in the address instead of the session. */
  readonly isLanguageInAddress: boolean
  /** This page's address over plain http, and its QR code. */
  readonly address: string
  readonly qrCode: Html
  /** The portal's https origin, which the trust test requests. */
  readonly origin: string
}

const DAY_MS = 86_400_000
const SOON_DAYS = 30
/** Nobody plans for what is further away. */
const SHOWN_DAYS = 90

export function certificatePage(visit: Visit, props: CertificatePageProps): Html {
  const { t, site } = visit
  const { certificate, next, isPlainHttp, isLanguageInAddress, system } = props
  const c = t.certificate
  return frame(visit, {
    title: c.title,
    sign: SIGNS.certificate,
    inLanguage: (other) => (isPlainHttp || isLanguageInAddress ? `/ca?lang=${other}` : `/locale?set=${other}&page=ca`),
    explainsCertificates: true,
    style: site.certificateStyle,
    script: site.scripts.certificate,
    body: html`${signImage(SIGNS.certificate)}
<h1>${c.heading}</h1>
${props.isSheet && html`<div class="alert"><p>${c.signInSheet}</p>${copyable('sheet-address', props.address)}</div>`}
<p>${c.why}</p>
${system === undefined && caution(visit, props)}
<h2 id="install">${c.install.heading}</h2>
${installSteps(visit, certificate, system, caution(visit, props))}
${trustTest(t, props)}
${props.proxy && proxySteps(visit, props.proxy, props)}
<h2 id="fingerprints">${c.details.heading}</h2>
${details(visit, certificate, props.now)}
${next !== undefined && nextCertificate(visit, next, props)}
<h2>${c.elsewhere.heading}</h2>
<p>${c.elsewhere.scan}</p>
${copyable('address', props.address)}
${props.qrCode}`,
  })
}

/** What to know between downloading and installing. */
function caution({ t, locale }: Visit, { certificate, now, isPlainHttp, system }: CertificatePageProps): Html {
  const c = t.certificate
  const daysLeft = daysUntil(certificate.notAfter, now)
  // Safari on iOS blocks no download.
  const isBlocked = isPlainHttp && system !== 'ios'
  return html`<div id="caution">${isBlocked && html`<p>${c.install.downloadBlocked}</p>`}
<p>${c.care}</p>
${daysLeft <= SOON_DAYS && html`<p class="alert">${c.expiring(formatDate(certificate.notAfter, locale), formatDays(daysLeft, locale))}</p>`}
${isPlainHttp && html`<p class="alert">${c.plainHttp} <a href="#fingerprints">${c.toFingerprints}</a></p>`}</div>`
}

/** Hidden until its script runs, which moves it up if the certificate is already trusted. */
function trustTest({ certificate, details }: Messages, { address, origin }: CertificatePageProps): Html {
  const { trust: words, copy, copied } = certificate
  const { selected } = details
  const { headingTrusted, testing, trusted, untrusted, overHttps, otherAddress, noAnswer } = words
  return html`<section id="trust" hidden data-origin="${origin}" data-texts="${[headingTrusted, testing, trusted, untrusted, overHttps, otherAddress, noAnswer, copy, copied, selected].join('|')}">
<h2>${words.heading}</h2>
<p id="trust-status" role="status"></p>
<p id="trust-elsewhere" hidden><a href="${address}"><bdi dir="ltr" translate="no">${address}</bdi></a></p>
<button id="trust-button" hidden>${words.test}</button>
</section>`
}

function details(
  { t, locale }: Visit,
  { subject, sha256, sha1, notBefore, notAfter }: ShownCertificate,
  now: number,
  prefix = '',
): Html {
  const { details } = t.certificate
  const daysLeft = daysUntil(notAfter, now)
  return html`<dl>
${detailRow(details.subject, html`<bdi translate="no">${subject}</bdi>`)}
${detailRow(details.fingerprint('SHA-256'), copyable(`${prefix}sha256`, sha256, grouped(sha256)), true)}
${detailRow(details.fingerprint('SHA-1'), copyable(`${prefix}sha1`, sha1, grouped(sha1)), true)}
${detailRow(details.validFrom, formatDate(notBefore, locale))}
${detailRow(details.validUntil, formatDate(notAfter, locale))}
${daysLeft < SHOWN_DAYS && detailRow(details.daysLeft, formatNumber(daysLeft, locale))}
</dl>`
}

function nextCertificate(visit: Visit, next: ShownCertificate, { now }: CertificatePageProps): Html {
  const { next: words } = visit.t.certificate
  const date = formatDate(next.notBefore, visit.locale)
  return html`<section>
<h2>${words.heading}</h2>
<p>${next.notBefore > now ? words.from(date) : words.since(date)} ${words.sameSteps}</p>
${fileList(next)}
${details(visit, next, now, 'next-')}
</section>`
}

/** Groups of four bytes in pairs, for comparison by eye. The text content is still what tools print. */
export function grouped(fingerprint: string): Html {
  const split = (text: string, pattern: RegExp) => text.match(pattern) ?? []
  return html`${split(fingerprint, /(?:\w\w:?){1,8}/g).map(
    (pair) => html`<span>${split(pair, /(?:\w\w:?){1,4}/g).map((group) => html`<span>${group}</span>`)}</span>`,
  )}`
}

function daysUntil(time: number, now: number): number {
  return Math.ceil((time - now) / DAY_MS)
}
