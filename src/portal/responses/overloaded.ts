// What is said to whoever is turned away: made once for each language, so that it costs nearly nothing.
import type { Locale } from '../../config/locales.ts'
import type { Html } from '../html/html.ts'
import type { Exchange } from '../http/exchange.ts'
import type { HttpResponse } from '../http/handler.ts'
import { createNegotiation, type OfferedLocales } from '../i18n/negotiate.ts'
import type { Site } from '../pages/frame.ts'
import { overloadNotice } from '../pages/frame-notice.ts'
import type { AnswerHeaders } from './headers.ts'
import { answering, SOON_SECONDS } from './responses.ts'

export interface OverloadedSources {
  readonly headers: AnswerHeaders
  readonly style: Html
  readonly site: Site
  readonly locales: OfferedLocales
}

/** In the language that the browser asks for; what it chose here before would have to be verified first. */
export function createOverloadedAnswers({ headers, style, site, locales }: OverloadedSources) {
  const answer = answering(headers.frameNotice)
  const answers = new Map<Locale, HttpResponse>(
    locales.supported.map((locale) => [
      locale,
      answer(503, overloadNotice(site, locale, style), ['content-language', locale, 'retry-after', SOON_SECONDS]),
    ]),
  )
  const negotiate = createNegotiation(locales)
  return (exchange: Exchange): HttpResponse =>
    answers.get(negotiate(exchange.headers['accept-language'])) as HttpResponse
}
