// The verdict pages, one path per kind. The protocol defines the order of the checks (v1, section 1).
import type { Verdict, VerdictKind } from '../../contract/verdict.ts'
import { MAXIMUM_VERDICT_URL_BYTES, type VerdictAge } from '../../contract/verdict-url.ts'
import type { RequestEvent, VerdictRefusal } from '../event.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Handled, type HttpResponse, plain } from '../http/handler.ts'
import { type Outcome, outcomeOfRefusal } from '../outcome/outcomes.ts'
import { frameNotice } from '../page/frame-notice.ts'
import type { Services } from '../services.ts'
import { isPrefetch, type Purpose, requestPurpose, type VisitWithSession } from '../visitor/visit.ts'

export function verdictRoute(kind: VerdictKind, services: Services) {
  const { responses, respond, resolveVisit, redeem, renderVerdict, noticeStyle } = services

  return (exchange: Exchange): Handled => {
    const purpose = requestPurpose(exchange)
    if (purpose !== 'document') return plain(contentBlocked(exchange, purpose))
    if (exchange.target.length > MAXIMUM_VERDICT_URL_BYTES) return refuse(exchange, 'length', { name: 'tooLong' })
    const { verdict, query, age, refusal } = redeem(exchange.query)
    if (refusal !== undefined) return refuse(exchange, refusal, outcomeOfRefusal(refusal))
    if (verdict.kind !== kind) return refuse(exchange, 'kind mismatch', { name: 'invalid' }, verdict)
    const visit = resolveVisit(exchange)
    if (!canBeShown(verdict, age, visit)) return refuse(exchange, 'expired', { name: 'expired' }, verdict)
    const page = renderVerdict(visit, verdict, query)
    const isShown = exchange.method === 'GET' && !isPrefetch(exchange)
    const event: RequestEvent = { name: isShown ? 'verdict.shown' : 'request', verdict }
    const isRemembered = verdict.kind === 'aup' && verdict.ackToken !== undefined && isShown
    const headers = isRemembered ? ['set-cookie', cookieOfShown(visit, verdict, services)] : []
    return { response: responses.page(exchange, visit, 200, page, headers), event }
  }

  /** The response to anything but a navigation: nothing of the payload. */
  function contentBlocked(exchange: Exchange, purpose: Exclude<Purpose, 'document'>): HttpResponse {
    if (purpose === 'subresource') return responses.empty(exchange, 403)
    const visit = resolveVisit(exchange)
    if (purpose === 'frame') return responses.frameNotice(exchange, visit, 403, frameNotice(visit, noticeStyle))
    const problem = { type: 'about:blank', title: visit.t.outcome.contentBlocked.title, status: 403 }
    return responses.problem(exchange, visit, 403, problem)
  }

  function refuse(exchange: Exchange, refusal: VerdictRefusal, outcome: Outcome, verdict?: Verdict): Handled {
    return { response: respond(exchange, outcome), event: { name: 'payload.refused', refusal, verdict } }
  }
}

/** Within the replay window, or within the reading time in a browser that was shown this policy before. */
function canBeShown(verdict: Verdict, age: VerdictAge, { session }: VisitWithSession): boolean {
  if (age !== 'late') return age === 'fresh'
  return verdict.kind === 'aup' && session.shown.some(({ reference }) => reference === verdict.reference)
}

/** Records what was shown, for the acceptance and for the reading time. */
function cookieOfShown(
  { session, locale }: VisitWithSession,
  { reference }: Verdict,
  { config, documents, sessions }: Services,
): string {
  const others = session.shown.filter((one) => one.reference !== reference)
  const text = documents[locale]
  const policyVersion = config.policy.version
  const shown = [...others, { reference, locale: text.locale, documentSha256: text.sha256, policyVersion }]
  return sessions.cookie({ locale: session.locale, shown })
}
