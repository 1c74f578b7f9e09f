// The privacy notice, linked from every page.
import type { PolicyTexts } from '../../aup/policy-texts.ts'
import type { EngineLog } from '../../contract/engine-health.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Handled, plain } from '../http/handler.ts'
import type { Responses } from '../http/responses.ts'
import type { Config } from '../settings/config.ts'
import { languageInAddress } from '../visitor/language-in-address.ts'
import type { ResolveVisit } from '../visitor/visit.ts'
import { privacyAdditions, privacyPage } from './page.ts'

export interface PrivacyRouteDependencies {
  readonly responses: Responses
  readonly resolveVisit: ResolveVisit
  readonly config: Pick<Config, 'locales' | 'records'>
  readonly privacyTexts: PolicyTexts | undefined
  readonly engineLog?: (() => EngineLog | undefined) | undefined
}

export function privacyRoute({ responses, resolveVisit, config, privacyTexts, engineLog }: PrivacyRouteDependencies) {
  const { locales, records } = config
  const notice = {
    recordsClientAddress: records.clientAddress,
    logsDestination: records.logDestination,
    additions: privacyTexts && privacyAdditions(privacyTexts),
  }
  return (exchange: Exchange): Handled => {
    const { locale, isLanguageInAddress } = languageInAddress(exchange, locales)
    const visit = resolveVisit(exchange, locale)
    const page = privacyPage(visit, { ...notice, engineLog: engineLog?.(), isLanguageInAddress })
    return plain(responses.page(exchange, visit, 200, page))
  }
}
