// One log line for each request: what was asked, how it ended, and which verdict it was about (docs/audit-log.md).
import type { Logger } from 'pino'
import type { VerdictKind } from '../contract/verdict.ts'
import type { Exchange } from './exchange.ts'
import { type AcknowledgementOutcome, eventOf, outcomeOf, type RequestEventName } from './request-event.ts'

export interface RequestLogOptions {
  readonly log: Logger
  readonly withDestination: boolean
}

interface RequestLine {
  readonly event: RequestEventName
  readonly method: string | undefined
  readonly route: string
  readonly status: number
  aborted?: true
  readonly milliseconds: number
  reference?: string
  kind?: VerdictKind
  rule?: string
  destination?: string
  refusal?: string
  outcome?: AcknowledgementOutcome
  engineStatus?: number | undefined
  retryAfter?: number
  reason?: string
}

/** Its answer is out, or its browser gone. */
export type RequestEnd = 'answered' | 'aborted'

/** Writes the line, once a request has ended. */
export type LogRequest = (exchange: Exchange, end: RequestEnd) => void

/** @returns with the exchange's route: one of ours, or one name for all others */
export function createRequestLog({ log, withDestination }: RequestLogOptions) {
  return (exchange: Exchange, route: string, end: RequestEnd): void => {
    const { request, response, startedAt, endedAt, verdict, refusal, fullLimit, engineAnswer } = exchange
    const line: RequestLine = {
      event: eventOf(exchange),
      method: request.method,
      route,
      status: response.statusCode,
      milliseconds: Math.round((endedAt - startedAt) * 10) / 10,
    }
    if (end === 'aborted') line.aborted = true
    if (verdict !== undefined) {
      line.reference = verdict.reference
      line.kind = verdict.kind
      line.rule = verdict.ruleName
      if (withDestination) line.destination = verdict.destination.href
    }
    const outcome = outcomeOf(exchange)
    if (outcome !== undefined) line.outcome = outcome
    else if (refusal !== undefined) line.refusal = refusal
    if (fullLimit !== undefined) line.reason = fullLimit
    if (engineAnswer !== undefined) {
      line.engineStatus = engineAnswer.status
      if (engineAnswer.kind === 'broken') line.reason = engineAnswer.reason
      if (engineAnswer.kind === 'lockedOut') line.retryAfter = engineAnswer.retryAfter
    }
    log.info(line, 'request')
  }
}
