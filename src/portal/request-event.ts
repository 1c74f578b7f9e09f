// What a request was, as the audit log, the metrics and the traces call it. All three read it from the finished exchange.
import type { PayloadRefusal } from '../contract/open.ts'
import type { EngineAnswer } from './engine-client/answer.ts'
import type { Exchange } from './exchange.ts'
import type { GateRefusal } from './gate.ts'

/** The steps of an acknowledgement that take time: start and end, by `performance.now()`. */
export type AcknowledgementTimes = { [Step in 'record' | 'engine' | 'completion']?: readonly [number, number] }

/** Why a verdict's parameters or its payload were refused. */
export const PAYLOAD_REASONS = [
  'length',
  'query',
  'version',
  'form',
  'header',
  'key',
  'tag',
  'text',
  'claim',
  'other ts',
  'other kind',
  'no ack_token',
  'expired',
] as const
export type PayloadReason = (typeof PAYLOAD_REASONS)[number]

/** Why an acknowledgement of a payload that opens, or of none yet, was refused without asking the engine. */
const UNASKED = [
  'prefetch',
  'elsewhere',
  'codeMalformed',
  'attemptsExhausted',
  'recordUnavailable',
  'overloaded',
] as const
type Unasked = (typeof UNASKED)[number]

/** Why a request was refused, for the log and the counters. */
export type Refusal = GateRefusal['reason'] | PayloadRefusal | Exclude<PayloadReason, 'claim'> | Unasked

export type AcknowledgementOutcome = EngineAnswer['kind'] | Unasked

export const OUTCOMES = [
  'redirect',
  'codeRejected',
  'refused',
  'lockedOut',
  'expired',
  'rejected',
  'broken',
  'late',
  ...UNASKED,
] as const satisfies readonly AcknowledgementOutcome[]

export type RequestEventName = 'request' | 'verdict.shown' | 'payload.refused' | 'acknowledgement' | 'lockout'

export function eventOf({ engineAnswer, refusal, isShown }: Exchange): RequestEventName {
  if (engineAnswer !== undefined) return engineAnswer.kind === 'lockedOut' ? 'lockout' : 'acknowledgement'
  if (refusal === undefined) return isShown ? 'verdict.shown' : 'request'
  if (isUnasked(refusal)) return 'acknowledgement'
  return payloadReason(refusal) === undefined ? 'request' : 'payload.refused'
}

/** Undefined where no acknowledgement was decided. */
export function outcomeOf({ engineAnswer, refusal }: Exchange): AcknowledgementOutcome | undefined {
  if (engineAnswer !== undefined) return engineAnswer.kind
  return refusal !== undefined && isUnasked(refusal) ? refusal : undefined
}

/** The reason as one of a few words; undefined where it was not the payload. */
export function payloadReason(refusal: Refusal): PayloadReason | undefined {
  if (refusal.startsWith('claim ')) return 'claim'
  return REASONS.has(refusal) ? (refusal as PayloadReason) : undefined
}

const REASONS: ReadonlySet<string> = new Set(PAYLOAD_REASONS)

function isUnasked(refusal: Refusal): refusal is Unasked {
  return (UNASKED as readonly string[]).includes(refusal)
}
