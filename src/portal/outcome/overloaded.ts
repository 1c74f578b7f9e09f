// The 503 of load shedding: rendered once per language, so that it costs almost nothing.

import type { Html } from '../../html/html.ts'
import type { Exchange } from '../http/exchange.ts'
import type { HttpResponse } from '../http/handler.ts'
import type { Responses } from '../http/responses.ts'
import type { Site } from '../page/frame.ts'
import { overloadNotice } from '../page/frame-notice.ts'
import { createNegotiation } from '../page/i18n/negotiate.ts'
import type { Config } from '../settings/config.ts'
import { OUTCOMES } from './outcomes.ts'

export interface OverloadedOptions {
  readonly config: Pick<Config, 'locales'>
  readonly responses: Responses
  readonly noticeStyle: Html
  readonly site: Site
}

/** In the browser's preferred language: the session's would require verifying the cookie. */
export function createOverloadedResponse({ config, responses, noticeStyle, site }: OverloadedOptions) {
  const { status, retryAfter } = OUTCOMES.overloaded
  const negotiate = createNegotiation(config.locales)
  const cache = new Map<string, HttpResponse>()
  return (exchange: Exchange): HttpResponse => {
    const locale = negotiate(exchange.headers['accept-language'])
    return cache.getOrInsertComputed(`${locale} ${exchange.isPlainHttp}`, () => {
      const notice = overloadNotice(site, locale, noticeStyle)
      return responses.frameNotice(exchange, { locale }, status, notice, ['retry-after', String(retryAfter)])
    })
  }
}
