// The privacy notice, linked from every page.

import type { Exchange } from '../http/exchange.ts'
import { type Handled, plain } from '../http/handler.ts'
import { type OfferedLocales, parseLocale } from '../i18n/negotiate.ts'
import { type PrivacyProps, privacyPage } from '../pages/privacy.ts'
import type { Answers } from '../responses/responses.ts'
import type { MeetVisitor } from '../visitor/visit.ts'

export interface PrivacyRouteSources {
  readonly answers: Answers
  readonly meet: MeetVisitor
  readonly locales: OfferedLocales
  readonly records: Omit<PrivacyProps, 'isLanguageInAddress'>
}

export function privacyRoute({ answers, meet, locales, records }: PrivacyRouteSources) {
  return (exchange: Exchange): Handled => {
    const { query } = exchange
    const chosen = query.startsWith('lang=') ? parseLocale(query.slice(5), locales) : undefined
    if (query !== '' && chosen === undefined) return plain(answers.outcomePage(exchange, { name: 'malformed' }))
    const visit = meet(exchange, chosen)
    // A browser that came without a cookie may not keep one: then the language stays in the address.
    const isInAddress = chosen !== undefined && exchange.headers.cookie === undefined
    return plain(answers.page(visit, 200, privacyPage(visit, { ...records, isLanguageInAddress: isInAddress })))
  }
}
