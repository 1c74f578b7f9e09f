// The only place that decides what a visitor may see when a request does not end in a verdict page or a redirect.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CODE_REJECTED_PROBLEM, EXPIRED_PROBLEM, LOCKED_OUT_PROBLEM } from '../contract/acknowledgement.ts'
import type { AnswerHeaders } from './html/headers.ts'
import type { Html } from './html/html.ts'
import type { Visit } from './pages/frame.ts'
import { frameNotice } from './pages/frame-notice.ts'
import { type OutcomeName, type OutcomeProps, outcomePage } from './pages/outcome.ts'
import type { MeetVisitor } from './visits.ts'

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
  engineTooSlow: 504,
}

const PROBLEM_TYPE: Partial<Record<OutcomeName, string>> = {
  codeRejected: CODE_REJECTED_PROBLEM,
  lockedOut: LOCKED_OUT_PROBLEM,
  acknowledgementExpired: EXPIRED_PROBLEM,
}

export interface Outcome extends OutcomeProps {
  /** Members of the problem beyond type, title and status; `type` overrules ours. */
  readonly problem?: Readonly<Record<string, string | number>>
}

export interface Answers {
  /** `markup` may come encoded already. */
  page(reply: FastifyReply, visit: Visit, status: number, markup: Html | Buffer): FastifyReply
  frameNotice(reply: FastifyReply, visit: Visit): FastifyReply
  /** A page of its own for each outcome. */
  outcomePage(request: FastifyRequest, reply: FastifyReply, outcome: Outcome): FastifyReply
  /** The same outcome for a script: RFC 9457. */
  outcomeProblem(request: FastifyRequest, reply: FastifyReply, outcome: Outcome): FastifyReply
  /** An outcome of a verdict route for a script that wanted something else: 403. */
  forbiddenProblem(request: FastifyRequest, reply: FastifyReply): FastifyReply
  empty(reply: FastifyReply, status: number): FastifyReply
  redirect(reply: FastifyReply, status: 303 | 308, location: string): FastifyReply
  health(reply: FastifyReply, document: string): FastifyReply
}

export function createAnswers(headers: AnswerHeaders, noticeStyle: Html, meet: MeetVisitor): Answers {
  const page: Answers['page'] = (reply, visit, status, markup) =>
    reply
      .code(status)
      .headers(headers.page)
      .header('content-language', visit.locale)
      .send(Buffer.isBuffer(markup) ? markup : markup.toString())

  const problem = (reply: FastifyReply, visit: Visit, body: Record<string, string | number> & { status: number }) =>
    reply
      .code(body.status)
      .headers(headers.problem)
      .header('content-language', visit.locale)
      .send(Buffer.from(JSON.stringify(body)))

  const retryAfter = (reply: FastifyReply, { name, retryAfter }: Outcome) => {
    if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
    else if (OUTCOME_STATUS[name] === 503) reply.header('retry-after', '5')
  }

  return {
    page,
    frameNotice: (reply, visit) =>
      reply
        .code(403)
        .headers(headers.frameNotice)
        .header('content-language', visit.locale)
        .send(frameNotice(visit, noticeStyle).toString()),
    outcomePage(request, reply, outcome) {
      const visit = meet(request)
      retryAfter(reply, outcome)
      return page(reply, visit, OUTCOME_STATUS[outcome.name], outcomePage(visit, outcome))
    },
    outcomeProblem(request, reply, outcome) {
      const visit = meet(request)
      retryAfter(reply, outcome)
      const { title } = visit.t.outcome[outcome.name]
      const status = OUTCOME_STATUS[outcome.name]
      return problem(reply, visit, {
        type: PROBLEM_TYPE[outcome.name] ?? 'about:blank',
        title,
        status,
        ...outcome.problem,
      })
    },
    forbiddenProblem(request, reply) {
      const visit = meet(request)
      return problem(reply, visit, { type: 'about:blank', title: visit.t.outcome.contentBlocked.title, status: 403 })
    },
    empty: (reply, status) => reply.code(status).headers(headers.empty).send(),
    redirect: (reply, status, location) =>
      reply.code(status).headers(headers.redirect).header('location', location).send(),
    health: (reply, document) => reply.code(200).headers(headers.health).send(document),
  }
}
