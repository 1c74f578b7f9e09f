// The certificate page, which is also served over plain http (protocol v1, section 4): 404 unless a certificate is
// published.
import type { CaCertificate } from '../../certificate/ca-certificate.ts'
import { type CertificateFormat, downloadName } from '../../certificate/downloads.ts'
import type { PublishedCa } from '../../certificate/watch.ts'
import type { Html } from '../../html/html.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Handled, plain } from '../http/handler.ts'
import { type Body, constantPart } from '../page/body.ts'
import type { Services } from '../services.ts'
import type { Config } from '../settings/config.ts'
import { languageInAddress } from '../visitor/language-in-address.ts'
import { visitorSystem } from '../visitor/operating-system.ts'
import { shownProxy } from './pac-route.ts'
import { certificatePage, type ShownCertificate } from './page.ts'
import { qrCode } from './qr-code.ts'

export function certificateRoute({ responses, respond, resolveVisit, publishedCa, config, clock }: Services) {
  const { secure, baseUrl } = config.publicAddress
  const address = certificateAddress(config.publicAddress)
  const proxy = shownProxy(config)
  // Created on the first request.
  let code: ReturnType<typeof qrCode> | undefined
  const pages = createPageCache()
  return (exchange: Exchange): Handled => {
    const published = publishedCa()
    if (published === undefined) return plain(respond(exchange, { name: 'notFound' }))
    const { locale, isLanguageInAddress } = languageInAddress(exchange, config.locales)
    const visit = resolveVisit(exchange, locale)
    const isPlainHttp = exchange.isPlainHttp || !secure
    const variant = { ...visitorSystem(exchange.headers), isPlainHttp, isLanguageInAddress }
    const now = clock()
    const page = pages(published, now, [visit.locale, ...Object.values(variant)].join(' '), () => {
      code ??= qrCode(address)
      const certificate = shownCertificate(published.certificate, '')
      const next = published.next && shownCertificate(published.next, '?which=next')
      return certificatePage(visit, {
        ...variant,
        certificate,
        next,
        proxy,
        now,
        address,
        qrCode: code,
        origin: baseUrl,
      })
    })
    return plain(responses.certificatePage(exchange, visit, 200, page))
  }
}

/**
 * Caches the page per variant for one second, and until another certificate is published: rendering it costs twenty times
 * as much as filling in a verdict page.
 */
function createPageCache() {
  const pages = new Map<string, Body>()
  let cachedSecond: number | undefined
  let cachedCa: PublishedCa | undefined
  return (published: PublishedCa, now: number, variant: string, render: () => Html): Body => {
    const second = Math.floor(now / 1000)
    const isSame = published.certificate === cachedCa?.certificate && published.next === cachedCa.next
    if (second !== cachedSecond || !isSame) pages.clear()
    cachedSecond = second
    cachedCa = published
    return pages.getOrInsertComputed(variant, () => [constantPart(render().toString())])
  }
}

/** @param query of the downloads, with the question mark */
export function shownCertificate(certificate: CaCertificate, query: string): ShownCertificate {
  const file = (format: CertificateFormat) => ({
    href: `/ca.${format}${query}`,
    name: downloadName(certificate, format),
  })
  return { ...certificate, files: { crt: file('crt'), cer: file('cer'), mobileconfig: file('mobileconfig') } }
}

/** The certificate page's address for devices that do not trust the CA yet. */
export function certificateAddress({ secure, baseUrl, httpPort }: Config['publicAddress']): string {
  if (!secure) return `${baseUrl}/ca`
  const port = httpPort === 80 ? '' : `:${httpPort}`
  return `http://${new URL(baseUrl).hostname}${port}/ca`
}
