// The only place that decides what visitors see when a request does not end in a verdict page or a redirect.
import type { CertificateDownload } from '../../certificate/downloads.ts'
import { CODE_REJECTED_PROBLEM, EXPIRED_PROBLEM, LOCKED_OUT_PROBLEM } from '../../contract/acknowledgement.ts'
import type { Refusal } from '../../contract/verdict-url.ts'
import type { Exchange } from '../http/exchange.ts'
import type { HttpResponse } from '../http/handler.ts'
import type { ResponseHeaders } from '../http/response-headers.ts'
import { type Body, bodyLength, constantPart } from '../page/body.ts'
import { toByteString } from '../page/byte-string.ts'
import type { Visit } from '../page/frame.ts'
import { frameNotice } from '../page/frame-notice.ts'
import { Html } from '../page/html.ts'
import type { ResolveVisit } from '../visitor/visit.ts'
import { lockedOutDetail, type OutcomeName, type OutcomeProps, outcomeDetail, outcomePage } from './page.ts'

const OUTCOME_STATUS: Readonly<Record<OutcomeName, number>> = {
  malformed: 400,
  wrongVersion: 400,
  codeMalformed: 400,
  invalid: 403,
  expired: 403,
  acknowledgementElsewhere: 403,
  acknowledgementRefused: 403,
  codeRejected: 403,
  notFound: 404,
  acknowledgementOff: 404,
  methodNotAllowed: 405,
  acknowledgementExpired: 410,
  tooLong: 414,
  lockedOut: 429,
  internal: 500,
  engineUnreachable: 502,
  acknowledgementPrefetch: 503,
  recordUnavailable: 503,
  overloaded: 503,
  superseded: 503,
  engineTooSlow: 504,
}

const PROBLEM_TYPE: Partial<Record<OutcomeName, string>> = {
  codeRejected: CODE_REJECTED_PROBLEM,
  lockedOut: LOCKED_OUT_PROBLEM,
  acknowledgementExpired: EXPIRED_PROBLEM,
}

// `Retry-After` of a temporary refusal.
export const SOON_SECONDS = '5'
const EMPTY: Body = []

export interface Outcome extends OutcomeProps {
  /** Members of the problem beyond type, title and status; `type` overrides the portal's. */
  readonly problem?: Readonly<Record<string, string | number>>
  /** With `methodNotAllowed`: the allowed methods. */
  readonly allow?: string
}

export interface Responses {
  page(visit: Visit, status: number, markup: Html | Body, cookie?: string): HttpResponse
  frameNotice(visit: Visit): HttpResponse
  /** Each outcome has its own page. */
  outcomePage(exchange: Exchange, outcome: Outcome): HttpResponse
  /** The same outcome for a script, as a problem document (RFC 9457). */
  outcomeProblem(exchange: Exchange, outcome: Outcome): HttpResponse
  /** A verdict URL requested by another site's script: 403. */
  forbiddenProblem(exchange: Exchange): HttpResponse
  certificatePage(visit: Visit, markup: Html | Body): HttpResponse
  /** @param known the request's If-None-Match */
  certificateFile(file: CertificateDownload, known: string | undefined): HttpResponse
  empty(status: number): HttpResponse
  redirect(status: 303 | 308, location: string, cookie?: string): HttpResponse
  health(document: Body): HttpResponse
}

export function createResponses(headersOf: ResponseHeaders, noticeStyle: Html, resolveVisit: ResolveVisit): Responses {
  const page = responder(headersOf.page)
  const certificatePage = responder(headersOf.certificatePage)
  const notice = responder(headersOf.frameNotice)
  const problem = responder(headersOf.problem)
  const empty = responder(headersOf.empty)
  const redirect = responder(headersOf.redirect)
  const health = responder(headersOf.health)
  const encoded = (body: object) => [toByteString(JSON.stringify(body))]
  const markupOf = createOutcomeCache()

  return {
    page: (visit, status, markup, cookie) => page(status, markup, inLocaleOf(visit, cookieHeader(cookie))),
    frameNotice: (visit) => notice(403, frameNotice(visit, noticeStyle), inLocaleOf(visit)),
    outcomePage(exchange, outcome) {
      const visit = resolveVisit(exchange)
      return page(OUTCOME_STATUS[outcome.name], markupOf(visit, outcome), inLocaleOf(visit, outcomeHeaders(outcome)))
    },
    outcomeProblem(exchange, outcome) {
      const visit = resolveVisit(exchange)
      const { title } = visit.t.outcome[outcome.name]
      const status = OUTCOME_STATUS[outcome.name]
      const type = PROBLEM_TYPE[outcome.name] ?? 'about:blank'
      const detail = outcomeDetail(visit, outcome)
      const localDetail = outcome.name === 'lockedOut' && { local_detail: lockedOutDetail(visit) }
      const body = encoded({ type, title, status, detail, ...localDetail, ...outcome.problem })
      return problem(status, body, inLocaleOf(visit, outcomeHeaders(outcome)))
    },
    forbiddenProblem(exchange) {
      const visit = resolveVisit(exchange)
      const { title } = visit.t.outcome.contentBlocked
      return problem(403, encoded({ type: 'about:blank', title, status: 403 }), inLocaleOf(visit))
    },
    certificatePage: (visit, markup) => certificatePage(200, markup, inLocaleOf(visit)),
    certificateFile: (file, known) => certificateFile(headersOf.certificateFile, file, known),
    empty: (status) => empty(status, EMPTY),
    redirect: (status, location, cookie) => redirect(status, EMPTY, ['location', location, ...cookieHeader(cookie)]),
    health: (document) => health(200, document),
  }
}

/** One page for whatever is wrong with a payload: the reason goes to the log only. */
export function outcomeOfRefusal(refusal: Refusal): 'malformed' | 'wrongVersion' | 'invalid' {
  if (refusal === 'query') return 'malformed'
  return refusal === 'version' ? 'wrongVersion' : 'invalid'
}

/** Pages without visitor data are rendered once: a refused payload must not cost more than a valid one. */
function createOutcomeCache() {
  const cache = new Map<string, Body>()
  return (visit: Visit, outcome: OutcomeProps): Html | Body => {
    const { name, destination, reference, retryAfter, attemptsRemaining } = outcome
    if ((destination ?? reference ?? retryAfter ?? attemptsRemaining) !== undefined) return outcomePage(visit, outcome)
    const key = `${name} ${visit.locale} ${visit.year} ${visit.hasCertificatePage}`
    return cache.getOrInsertComputed(key, () => [constantPart(outcomePage(visit, outcome).toString())])
  }
}

/** Builds responses of one kind: its constant headers, the response's own, and the length. */
export function responder(constant: Readonly<Record<string, string>>) {
  const always = Object.entries(constant).flat()
  return (status: number, content: Html | Body, headers: readonly string[] = []): HttpResponse => {
    const body = content instanceof Html ? [toByteString(content.toString())] : content
    return { status, headers: [...always, ...headers, 'content-length', String(bodyLength(body))], body }
  }
}

function certificateFile(
  constant: Readonly<Record<string, string>>,
  { name, mediaType, bytes, etag }: CertificateDownload,
  known: string | undefined,
): HttpResponse {
  const always = [...Object.entries(constant).flat(), 'etag', etag]
  if (known !== undefined && isKnown(etag, known)) return { status: 304, headers: always, body: EMPTY }
  const headers = [
    ...always,
    'content-type',
    mediaType,
    'content-disposition',
    `attachment; filename="${name}"`,
    'content-length',
    String(bytes.length),
  ]
  return { status: 200, headers, body: [bytes] }
}

/** RFC 9110, section 13.1.2: weak comparison with a list of tags. */
function isKnown(etag: string, known: string): boolean {
  return known.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()))
}

function inLocaleOf({ locale }: Visit, headers: readonly string[] = []): string[] {
  return ['content-language', locale, ...headers]
}

function cookieHeader(cookie: string | undefined): string[] {
  return cookie === undefined ? [] : ['set-cookie', cookie]
}

function outcomeHeaders({ name, retryAfter, allow }: Outcome): string[] {
  const headers = allow === undefined ? [] : ['allow', allow]
  if (retryAfter !== undefined) headers.push('retry-after', String(retryAfter))
  else if (OUTCOME_STATUS[name] === 503) headers.push('retry-after', SOON_SECONDS)
  return headers
}
