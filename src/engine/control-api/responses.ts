// Responses of the control API; every HTTP error is application/problem+json (RFC 9457).
import { type IncomingMessage, type OutgoingHttpHeaders, STATUS_CODES } from 'node:http'
import { CODE_REJECTED_PROBLEM, EXPIRED_PROBLEM, LOCKED_OUT_PROBLEM } from '../../contract/acknowledgement.ts'
import type { Outcome } from '../engine.ts'

/** A response of the control API, complete before its status is written. */
export interface ApiResponse {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: string
}

export type Handle = (request: IncomingMessage) => ApiResponse | Promise<ApiResponse>

export function json(document: object): ApiResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(document) }
}

/** @param members further members of the document, next to type, title and status */
export function problem(
  status: number,
  detail?: string,
  { headers, ...members }: { type?: string; headers?: OutgoingHttpHeaders; attempts_remaining?: number } = {},
): ApiResponse {
  const document = { type: 'about:blank', title: STATUS_CODES[status], status, ...(detail && { detail }), ...members }
  return {
    status,
    headers: { ...headers, 'content-type': 'application/problem+json' },
    body: JSON.stringify(document),
  }
}

/** The response to an acknowledgement that was not accepted (the table of protocol v1, section 2). */
export function acknowledgementProblem(outcome: Exclude<Outcome, { readonly kind: 'accepted' }>): ApiResponse {
  switch (outcome.kind) {
    case 'malformed':
      return problem(400, 'The request must have p, v and ts, each once, and at most one well-formed override code.')
    case 'refused':
      return problem(403, 'This engine issued no such verdict that can be acknowledged.')
    case 'expired':
      return problem(410, 'This verdict can no longer be acknowledged.', { type: EXPIRED_PROBLEM })
    case 'code missing':
      return problem(400, 'This verdict requires an override code.')
    case 'code unexpected':
      return problem(400, 'This verdict has no override code.')
    case 'code rejected':
      return problem(403, 'The override code is wrong.', {
        type: CODE_REJECTED_PROBLEM,
        attempts_remaining: outcome.attemptsRemaining,
      })
    case 'locked out':
      return problem(429, 'Too many wrong codes.', {
        type: LOCKED_OUT_PROBLEM,
        headers: { 'retry-after': String(outcome.retryAfterSeconds) },
      })
    case 'busy':
      return problem(503, 'Override codes cannot be checked at the moment.', { headers: { 'retry-after': '60' } })
    case 'unavailable':
      return problem(503, 'Acknowledgements cannot be recorded at the moment.', { headers: { 'retry-after': '5' } })
  }
}
