// Every HTTP error as application/problem+json (RFC 9457).
import { type OutgoingHttpHeaders, STATUS_CODES } from 'node:http'
import { CODE_REJECTED_PROBLEM, EXPIRED_PROBLEM, LOCKED_OUT_PROBLEM } from '../../contract/acknowledgement.ts'
import type { Outcome } from '../engine.ts'

/** An answer of the control API, whole before its status is written. */
export interface Answer {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: string
}

/** @param members what the document holds beside type, title and status */
export function problem(
  status: number,
  detail?: string,
  { headers, ...members }: { type?: string; headers?: OutgoingHttpHeaders; attempts_remaining?: number } = {},
): Answer {
  const document = { type: 'about:blank', title: STATUS_CODES[status], status, ...(detail && { detail }), ...members }
  return {
    status,
    headers: { ...headers, 'content-type': 'application/problem+json' },
    body: JSON.stringify(document),
  }
}

/** The answer to an acknowledgement that was not accepted (the table of protocol v1, section 2). */
export function acknowledgementProblem(outcome: Exclude<Outcome, { readonly kind: 'accepted' }>): Answer {
  switch (outcome.kind) {
    case 'refused':
      return problem(403, 'This is no verdict of this engine that can be acknowledged.')
    case 'expired':
      return problem(410, 'The time to acknowledge this verdict is over.', { type: EXPIRED_PROBLEM })
    case 'code missing':
      return problem(400, 'This verdict asks for an override code.')
    case 'code unexpected':
      return problem(400, 'This verdict has no override code.')
    case 'code rejected':
      return problem(403, 'This is not the code.', {
        type: CODE_REJECTED_PROBLEM,
        attempts_remaining: outcome.attemptsRemaining,
      })
    case 'locked out':
      return problem(429, 'Too many wrong codes.', {
        type: LOCKED_OUT_PROBLEM,
        headers: { 'retry-after': String(outcome.retryAfterSeconds) },
      })
    case 'busy':
      return problem(503, 'Wrong codes cannot be counted now.', { headers: { 'retry-after': '60' } })
  }
}
