// The certificate page, which is served over plain http as well (protocol v1, section 5). Without a certificate it does
// not exist.
import type { CaCertificate } from '../../certificate/ca-certificate.ts'
import { type CertificateFormat, downloadName } from '../../certificate/downloads.ts'
import type { CurrentCa, PublishedCa } from '../../certificate/watch.ts'
import type { Config } from '../../config/config.ts'
import { type ByteString, toByteString } from '../html/byte-string.ts'
import type { Html } from '../html/html.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Handled, plain } from '../http/handler.ts'
import { isPlainHttp } from '../http/https-redirect.ts'
import { parseLocale } from '../i18n/negotiate.ts'
import { certificatePage, type ShownCertificate } from '../pages/ca.ts'
import { qrCode } from '../pages/qr-code.ts'
import type { Responses } from '../responses/responses.ts'
import { visitorSystem } from '../visitor/operating-system.ts'
import type { ResolveVisit } from '../visitor/visit.ts'

export interface CertificateRouteDependencies {
  readonly responses: Responses
  readonly resolveVisit: ResolveVisit
  readonly publishedCa: CurrentCa
  readonly config: Pick<Config, 'locales' | 'publicAddress'>
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

export function certificateRoute({
  responses,
  resolveVisit,
  publishedCa,
  config,
  clock,
}: CertificateRouteDependencies) {
  const { secure, baseUrl } = config.publicAddress
  const address = certificateAddress(config.publicAddress)
  // Drawn for the first visitor who asks.
  let code: ReturnType<typeof qrCode> | undefined
  const pages = createPagesOfASecond()
  return (exchange: Exchange): Handled => {
    const published = publishedCa()
    if (published === undefined) return plain(responses.outcomePage(exchange, { name: 'notFound' }))
    const { query, headers } = exchange
    const chosen = query.startsWith('lang=') ? parseLocale(query.slice(5), config.locales) : undefined
    if (query !== '' && chosen === undefined) return plain(responses.outcomePage(exchange, { name: 'malformed' }))
    const visit = resolveVisit(exchange, chosen)
    const variant = {
      ...visitorSystem(headers),
      isPlainHttp: isPlainHttp(exchange) || !secure,
      // A browser that came without a cookie may not keep one.
      isLanguageInAddress: chosen !== undefined && headers.cookie === undefined,
    }
    const now = clock()
    const page = pages(published, now, [visit.locale, ...Object.values(variant)].join(' '), () => {
      code ??= qrCode(address)
      const certificate = shownCertificate(published.certificate, '')
      const next = published.next && shownCertificate(published.next, '?which=next')
      return certificatePage(visit, { ...variant, certificate, next, now, address, qrCode: code, origin: baseUrl })
    })
    return plain(responses.certificatePage(visit, page))
  }
}

/**
 * The page is the same for all visitors with the same language and kind of system, and costs twenty times as much as one
 * that is filled: each is made once a second at most, and anew when another certificate is published.
 */
function createPagesOfASecond() {
  const pages = new Map<string, ByteString>()
  let second: number | undefined
  let shown: PublishedCa | undefined
  return (published: PublishedCa, now: number, variant: string, render: () => Html): ByteString => {
    const thisSecond = Math.floor(now / 1000)
    const isSame = published.certificate === shown?.certificate && published.next === shown.next
    if (thisSecond !== second || !isSame) pages.clear()
    second = thisSecond
    shown = published
    return pages.getOrInsertComputed(variant, () => toByteString(render().toString()))
  }
}

/** @param query of its downloads, with the question mark */
export function shownCertificate(certificate: CaCertificate, query: string): ShownCertificate {
  const file = (format: CertificateFormat) => ({
    href: `/ca.${format}${query}`,
    name: downloadName(certificate, format),
  })
  return { ...certificate, files: { crt: file('crt'), cer: file('cer'), mobileconfig: file('mobileconfig') } }
}

/** Where a device that trusts nothing yet reaches the certificate page. */
function certificateAddress({ secure, baseUrl, httpPort }: Config['publicAddress']): string {
  if (!secure) return `${baseUrl}/ca`
  const port = httpPort === 80 ? '' : `:${httpPort}`
  return `http://${new URL(baseUrl).hostname}${port}/ca`
}
