// How an acknowledgement ends without the engine's redirect: what the visitor gets, and what is logged and counted.
import type { Verdict } from '../../contract/verdict.ts'
import type { EngineResponse } from '../engine-client/response.ts'
import type { AcknowledgementTimes, NotSent, RequestEvent, VerdictRefusal } from '../event.ts'
import type { Outcome } from '../outcome/outcomes.ts'
import type { FullLimit, Rejection } from './relay-limit.ts'

export interface Failure {
  readonly outcome: Outcome
  readonly event: RequestEvent
}

export function refused(refusal: VerdictRefusal, outcome: Outcome, verdict?: Verdict): Failure {
  return { outcome, event: { name: 'payload.refused', refusal, verdict } }
}

interface NotSentDetails {
  readonly verdict?: Verdict | undefined
  readonly fullLimit?: FullLimit
  readonly times?: AcknowledgementTimes
}

/** Nothing was sent to the engine. */
export function notSent(reason: NotSent, outcome: Outcome, details: NotSentDetails = {}): Failure {
  const event: RequestEvent = { name: 'acknowledgement', notSent: reason, ...details }
  return { outcome: { ...outcome, verdict: details.verdict }, event }
}

export function notAdmitted(rejection: Rejection, verdict: Verdict): Failure {
  switch (rejection) {
    case 'superseded':
    case 'abandoned':
      return notSent(rejection, { name: 'superseded' }, { verdict })
    case 'stopping':
      return notSent(rejection, { name: 'overloaded', retryAfter: 1 }, { verdict })
    default:
      return notSent('overloaded', { name: 'overloaded' }, { verdict, fullLimit: rejection })
  }
}

export function notRecorded(reason: 'exhausted' | 'unavailable', details: NotSentDetails): Failure {
  return reason === 'exhausted'
    ? notSent('attemptsExhausted', { name: 'acknowledgementExpired' }, details)
    : notSent('recordUnavailable', { name: 'recordUnavailable' }, details)
}

/** The outcome of the engine's response. */
export function outcomeFor(response: Exclude<EngineResponse, { kind: 'redirect' }>, verdict: Verdict): Outcome {
  switch (response.kind) {
    case 'codeRejected': {
      const { problemType, attemptsRemaining } = response
      return { name: 'codeRejected', problemType, attemptsRemaining, verdict }
    }
    case 'refused':
      return { name: 'acknowledgementRefused', verdict }
    case 'lockedOut':
      return { name: 'lockedOut', problemType: response.problemType, retryAfter: response.retryAfter, verdict }
    case 'expired':
      return { name: 'acknowledgementExpired', problemType: response.problemType, verdict }
    case 'rejected':
    case 'broken':
      return { name: 'engineUnreachable', verdict }
    case 'late':
      return { name: 'engineTooSlow', verdict }
  }
}
