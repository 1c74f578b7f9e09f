// What happened in a request: each handler returns one event with its response, for audit log and metrics.
import type { Verdict } from '../contract/verdict.ts'
import { REFUSALS, type Refusal } from '../contract/verdict-url.ts'
import type { FullLimit } from './acknowledgement/relay-limit.ts'
import type { EngineResponse } from './engine-client/response.ts'
import type { GuardRefusal } from './http/request-guard.ts'

/** Why a verdict's parameters or payload were refused: the values that metrics count. */
export const PAYLOAD_REASONS = ['length', ...REFUSALS, 'kind mismatch', 'no ack_token', 'expired'] as const
export type PayloadReason = (typeof PAYLOAD_REASONS)[number]

/** What is logged: a reason, `claim` with the claim's name. */
export type VerdictRefusal = Refusal | Exclude<PayloadReason, 'claim'>

/** Why an acknowledgement was not sent to the engine. */
const NOT_SENT = [
  'prefetch',
  'crossSite',
  'codeMalformed',
  'recordUnavailable',
  'attemptsExhausted',
  'overloaded',
  'superseded',
  'abandoned',
  'stopping',
] as const
export type NotSent = (typeof NOT_SENT)[number]

export type AcknowledgementResult = EngineResponse['kind'] | NotSent

export const ACKNOWLEDGEMENT_RESULTS = [
  'redirect',
  'codeRejected',
  'refused',
  'lockedOut',
  'expired',
  'rejected',
  'broken',
  'late',
  ...NOT_SENT,
] as const satisfies readonly AcknowledgementResult[]

/** How long each step of an acknowledgement took, in milliseconds. */
export interface AcknowledgementTimes {
  readonly record?: number | undefined
  readonly engine?: number | undefined
}

interface WithVerdict {
  /** Undefined when the payload was not opened. */
  readonly verdict?: Verdict | undefined
}

export type RequestEvent =
  /** Any other request. `refusal` is the request guard's. */
  | (WithVerdict & { readonly name: 'request'; readonly refusal?: GuardRefusal['reason'] })
  | { readonly name: 'verdict.shown'; readonly verdict: Verdict }
  | (WithVerdict & { readonly name: 'payload.refused'; readonly refusal: VerdictRefusal })
  | (WithVerdict & {
      readonly name: 'acknowledgement'
      readonly notSent: NotSent
      /** With `overloaded`. */
      readonly fullLimit?: FullLimit | undefined
      readonly times?: AcknowledgementTimes | undefined
    })
  | {
      readonly name: 'acknowledgement' | 'lockout'
      readonly verdict: Verdict
      readonly engineResponse: EngineResponse
      readonly times: AcknowledgementTimes
    }

/** Undefined unless the event is about an acknowledgement. */
export function auditOutcome(event: RequestEvent): AcknowledgementResult | undefined {
  if ('engineResponse' in event) return event.engineResponse.kind
  return 'notSent' in event ? event.notSent : undefined
}

export function payloadReason(refusal: VerdictRefusal): PayloadReason {
  return refusal.startsWith('claim ') ? 'claim' : (refusal as PayloadReason)
}
