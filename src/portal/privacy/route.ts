// The privacy notice, linked from every page.

import type { EngineLog } from '../../contract/engine-health.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Handled, plain } from '../http/handler.ts'
import { parameterOf } from '../http/parameter.ts'
import type { Responses } from '../outcome/responses.ts'
import { type OfferedLocales, parseLocale } from '../page/i18n/negotiate.ts'
import type { ResolveVisit } from '../visitor/visit.ts'
import { type PrivacyProps, privacyPage } from './page.ts'

export interface PrivacyRouteDependencies {
  readonly responses: Responses
  readonly resolveVisit: ResolveVisit
  readonly locales: OfferedLocales
  readonly notice: Omit<PrivacyProps, 'engineLog' | 'isLanguageInAddress'>
  readonly engineLog: (() => EngineLog | undefined) | undefined
}

export function privacyRoute({ responses, resolveVisit, locales, notice, engineLog }: PrivacyRouteDependencies) {
  return (exchange: Exchange): Handled => {
    const chosen = parseLocale(parameterOf(exchange, 'lang'), locales)
    const visit = resolveVisit(exchange, chosen)
    // A browser that sent no cookie may not store cookies: then the language stays in the address.
    const isInAddress = chosen !== undefined && exchange.headers.cookie === undefined
    const props = { ...notice, engineLog: engineLog?.(), isLanguageInAddress: isInAddress }
    return plain(responses.page(visit, 200, privacyPage(visit, props)))
  }
}
