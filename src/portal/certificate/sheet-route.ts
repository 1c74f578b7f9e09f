// The sheet to hand out: 404 unless a certificate is published and devices need a proxy.

import type { Html } from '../../html/html.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Handled, plain } from '../http/handler.ts'
import type { Services } from '../services.ts'
import { languageInAddress } from '../visitor/language-in-address.ts'
import { shownProxy } from './pac-route.ts'
import { qrCode } from './qr-code.ts'
import { certificateAddress, shownCertificate } from './route.ts'
import { sheetPage } from './sheet.ts'

export function sheetRoute({
  responses,
  respond,
  resolveVisit,
  publishedCa,
  config,
}: Pick<Services, 'responses' | 'respond' | 'resolveVisit' | 'publishedCa' | 'config'>) {
  const address = certificateAddress(config.publicAddress)
  const proxy = shownProxy(config)
  // Created on the first request.
  let code: Html | undefined
  return (exchange: Exchange): Handled => {
    const published = publishedCa()
    if (published === undefined || proxy === undefined) return plain(respond(exchange, { name: 'notFound' }))
    const visit = resolveVisit(exchange, languageInAddress(exchange, config.locales).locale)
    code ??= qrCode(address)
    const certificate = shownCertificate(published.certificate, '')
    const page = sheetPage(visit, { certificate, proxy, address, qrCode: code })
    return plain(responses.certificatePage(exchange, visit, 200, page))
  }
}
