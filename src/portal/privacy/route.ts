// The privacy notice, linked from every page.
import type { Exchange } from '../http/exchange.ts'
import { type Handled, plain } from '../http/handler.ts'
import type { Services } from '../services.ts'
import { languageInAddress } from '../visitor/language-in-address.ts'
import { privacyAdditions, privacyPage } from './page.ts'

export function privacyRoute({ responses, resolveVisit, config, privacyTexts, engineRecords }: Services) {
  const { locales, records } = config
  const notice = {
    recordsClientAddress: records.clientAddress,
    logsDestination: records.logDestination,
    proxyLog: records.proxyLog,
    additions: privacyTexts && privacyAdditions(privacyTexts),
  }
  return (exchange: Exchange): Handled => {
    const { locale, isLanguageInAddress } = languageInAddress(exchange, locales)
    const visit = resolveVisit(exchange, locale)
    const page = privacyPage(visit, { ...notice, engine: engineRecords?.(), isLanguageInAddress })
    return plain(responses.page(exchange, visit, 200, page))
  }
}
