// The only place that decides what visitors see when a request does not end in a page of its own or a redirect.
import { OVERRIDE_CODE_HEADER } from '../../contract/acknowledgement.ts'
import type { Html } from '../../html/html.ts'
import type { Locale } from '../../settings/sections/locales.ts'
import type { Exchange } from '../http/exchange.ts'
import type { HttpResponse } from '../http/handler.ts'
import type { Responses } from '../http/responses.ts'
import { type Body, constantPart } from '../page/body.ts'
import type { Visit } from '../page/frame.ts'
import type { OfferedLocales } from '../page/i18n/negotiate.ts'
import { languageInAddress } from '../visitor/language-in-address.ts'
import type { ResolveVisit } from '../visitor/visit.ts'
import { OUTCOMES, type Outcome, retryAfterOf } from './outcomes.ts'
import { lockoutDetails, outcomeDetail, outcomePage } from './page.ts'

/**
 * A page; for the Unlock button's script, which sends the code's header, a problem document (RFC 9457). `locale` overrides
 * address, session and browser.
 */
export type Respond = (exchange: Exchange, outcome: Outcome, locale?: Locale) => HttpResponse

export function createRespond(responses: Responses, resolveVisit: ResolveVisit, locales: OfferedLocales): Respond {
  const cachedPage = createPageCache()
  return (exchange, outcome, locale = languageInAddress(exchange, locales).locale) => {
    const visit = resolveVisit(exchange, locale)
    const { status } = OUTCOMES[outcome.name]
    const headers = headersOf(outcome)
    if (exchange.headers[OVERRIDE_CODE_HEADER] !== undefined) {
      return responses.problem(exchange, visit, status, problemOf(visit, outcome), headers)
    }
    return responses.page(exchange, visit, status, cachedPage(visit, outcome), headers)
  }
}

function headersOf(outcome: Outcome): string[] {
  const headers = outcome.name === 'methodNotAllowed' ? ['allow', outcome.allow] : []
  const retryAfter = retryAfterOf(outcome)
  if (retryAfter !== undefined) headers.push('retry-after', String(retryAfter))
  return headers
}

/** The engine's problem type takes precedence. */
function problemOf(visit: Visit, outcome: Outcome) {
  const { title } = visit.t.outcome[outcome.name]
  const engines = 'problemType' in outcome ? outcome.problemType : undefined
  return {
    type: engines ?? OUTCOMES[outcome.name].problemType ?? 'about:blank',
    title,
    status: OUTCOMES[outcome.name].status,
    detail: outcomeDetail(visit, outcome),
    ...(outcome.name === 'lockedOut' && { lockout: lockoutDetails(visit, outcome) }),
    ...(outcome.name === 'codeRejected' && { attempts_remaining: outcome.attemptsRemaining }),
  }
}

/** Pages without visitor data are rendered once: a refused payload must not cost more than a valid one. */
function createPageCache() {
  const cache = new Map<string, Body>()
  return (visit: Visit, outcome: Outcome): Html | Body => {
    if (outcome.verdict !== undefined || outcome.name === 'lockedOut') return outcomePage(visit, outcome)
    const key = `${outcome.name} ${visit.locale} ${visit.year} ${visit.hasCertificatePage}`
    return cache.getOrInsertComputed(key, () => [constantPart(outcomePage(visit, outcome).toString())])
  }
}
