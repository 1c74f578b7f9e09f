// The 503 of load shedding: rendered once per language, so that it costs almost nothing.
import type { Locale } from '../../settings/sections/locales.ts'
import type { Exchange } from '../http/exchange.ts'
import type { HttpResponse } from '../http/handler.ts'
import type { ResponseHeaders } from '../http/response-headers.ts'
import type { Site } from '../page/frame.ts'
import { overloadNotice } from '../page/frame-notice.ts'
import type { Html } from '../page/html.ts'
import { createNegotiation, type OfferedLocales } from '../page/i18n/negotiate.ts'
import { responder, SOON_SECONDS } from './responses.ts'

export interface OverloadedOptions {
  readonly headers: ResponseHeaders
  readonly style: Html
  readonly site: Site
  readonly locales: OfferedLocales
}

/** In the browser's preferred language: the session's would require verifying the cookie. */
export function createOverloadedResponses({ headers, style, site, locales }: OverloadedOptions) {
  const respond = responder(headers.frameNotice)
  const responses = new Map<Locale, HttpResponse>(
    locales.supported.map((locale) => [
      locale,
      respond(503, overloadNotice(site, locale, style), ['content-language', locale, 'retry-after', SOON_SECONDS]),
    ]),
  )
  const negotiate = createNegotiation(locales)
  return (exchange: Exchange): HttpResponse =>
    responses.get(negotiate(exchange.headers['accept-language'])) as HttpResponse
}
