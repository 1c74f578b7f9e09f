// Changes the language: stores the choice in the session cookie and redirects back to the same page; responds with the page of
// an outcome itself, which has no address of its own.

import { parseVerdictQuery } from '../../contract/verdict-url.ts'
import type { Locale } from '../../settings/sections/locales.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Handled, plain } from '../http/handler.ts'
import { type Outcome, outcomeInLanguages } from '../outcome/outcomes.ts'
import { type OfferedLocales, parseLocale } from '../page/i18n/negotiate.ts'
import type { Services } from '../services.ts'
import { isPrefetch } from './visit.ts'

/** `set=<locale>&page=<page>`, then, for a verdict page, its three parameters: this is not an open redirect. */
const CHOICE = /^set=([a-z]{2})&page=(?:(privacy|ca)|(blocked|warned|aup)&(.+)|([a-zA-Z]+))$/

/** The page is an address or an outcome. */
type Choice = { readonly locale: Locale; readonly page: string | Outcome }

export function localeRoute({ responses, respond, sessions, config }: Services) {
  return (exchange: Exchange): Handled => {
    if (isPrefetch(exchange)) return plain(responses.empty(exchange, 503))
    const choice = parseChoice(exchange.query, config.locales)
    if (choice === undefined) return plain(respond(exchange, { name: 'malformed' }))
    const { shown } = sessions.read(exchange)
    const { locale, page } = choice
    const cookie = ['set-cookie', sessions.cookie({ locale, shown })]
    if (typeof page === 'string') return plain(responses.redirect(exchange, 303, page, cookie))
    const response = respond(exchange, page, locale)
    return plain({ ...response, headers: [...response.headers, ...cookie] })
  }
}

function parseChoice(query: string, locales: OfferedLocales): Choice | undefined {
  const [, name, plainPage, page, rest, outcomeName] = CHOICE.exec(query) ?? []
  const locale = parseLocale(name, locales)
  if (locale === undefined) return undefined
  if (plainPage !== undefined) return { locale, page: `/${plainPage}` }
  if (outcomeName !== undefined) {
    const outcome = outcomeInLanguages(outcomeName)
    return outcome && { locale, page: outcome }
  }
  const verdict = parseVerdictQuery(rest as string)
  return verdict.query && { locale, page: `/${page}?${verdict.query.text}` }
}
