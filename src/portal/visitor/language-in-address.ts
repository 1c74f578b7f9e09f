// `?lang=`: the language of a page whose address is no verdict's.
import type { Locale } from '../../settings/sections/locales.ts'
import type { Exchange } from '../http/exchange.ts'
import { parameterOf } from '../http/parameter.ts'
import { type OfferedLocales, parseLocale } from '../page/i18n/negotiate.ts'

interface LanguageInAddress {
  /** Undefined without the parameter. */
  readonly locale: Locale | undefined
  /** Whether links keep it there: a browser that sent no cookie may not store cookies. */
  readonly isLanguageInAddress: boolean
}

export function languageInAddress(exchange: Exchange, offered: OfferedLocales): LanguageInAddress {
  const locale = parseLocale(parameterOf(exchange, 'lang'), offered)
  return { locale, isLanguageInAddress: locale !== undefined && exchange.headers.cookie === undefined }
}
