// The verdict pages, one path per kind. The protocol defines the order of the checks (v1, section 1).
import type { Verdict, VerdictKind } from '../../contract/verdict.ts'
import { MAXIMUM_URL_BYTES, type Redeemed, type VerdictAge } from '../../contract/verdict-url.ts'
import type { RequestEvent, VerdictRefusal } from '../event.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Handled, plain } from '../http/handler.ts'
import { type Outcome, outcomeOfRefusal, type Responses } from '../outcome/responses.ts'
import type { Sessions } from '../visitor/session.ts'
import { isPrefetch, type ResolveVisit, requestPurpose, type VisitWithSession } from '../visitor/visit.ts'
import type { RenderVerdict } from './page-cache.ts'
import type { PolicyDocuments } from './policy-document.ts'

export interface VerdictRouteDependencies {
  readonly responses: Responses
  readonly resolveVisit: ResolveVisit
  readonly redeem: (query: string) => Redeemed
  readonly sessions: Sessions
  readonly documents: PolicyDocuments
  readonly renderVerdict: RenderVerdict
  readonly policyVersion: string
}

export function verdictRoute(kind: VerdictKind, dependencies: VerdictRouteDependencies) {
  const { responses, resolveVisit, redeem, renderVerdict } = dependencies
  return (exchange: Exchange): Handled => {
    const purpose = requestPurpose(exchange)
    if (purpose === 'subresource') return plain(responses.empty(403))
    if (purpose === 'frame') return plain(responses.frameNotice(resolveVisit(exchange)))
    if (purpose === 'fetch') return plain(responses.forbiddenProblem(exchange))

    if (exchange.target.length > MAXIMUM_URL_BYTES) return refuse(exchange, 'length', 'tooLong')
    const { verdict, query, age, refusal } = redeem(exchange.query)
    if (refusal !== undefined) return refuse(exchange, refusal, outcomeOfRefusal(refusal))
    if (verdict.kind !== kind) return refuse(exchange, 'kind mismatch', 'invalid', verdict)
    const visit = resolveVisit(exchange)
    if (!canBeShown(verdict, age, visit)) return refuse(exchange, 'expired', 'expired', verdict)
    const page = renderVerdict(visit, verdict, query)
    const isShown = exchange.method === 'GET' && !isPrefetch(exchange)
    const event: RequestEvent = { name: isShown ? 'verdict.shown' : 'request', verdict }
    const isRemembered = verdict.kind === 'aup' && verdict.ackToken !== undefined && isShown
    const cookie = isRemembered ? cookieOfShown(visit, verdict, dependencies) : undefined
    return { response: responses.page(visit, 200, page, cookie), event }
  }

  function refuse(exchange: Exchange, refusal: VerdictRefusal, name: Outcome['name'], verdict?: Verdict): Handled {
    return { response: responses.outcomePage(exchange, { name }), event: { name: 'payload.refused', refusal, verdict } }
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
  { documents, sessions, policyVersion }: VerdictRouteDependencies,
): string {
  const others = session.shown.filter((one) => one.reference !== reference)
  const text = documents[locale]
  const shown = [...others, { reference, locale: text.locale, documentSha256: text.sha256, policyVersion }]
  return sessions.cookie({ locale: session.locale, shown })
}
