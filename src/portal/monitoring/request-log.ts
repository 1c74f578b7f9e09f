// One log line per request: what was requested, the outcome, and the verdict (docs/audit-log.md).
import type { Logger } from 'pino'
import type { VerdictKind } from '../../contract/verdict.ts'
import type { EngineResponse } from '../engine-client/response.ts'
import { type AcknowledgementResult, auditOutcome, type RequestEvent } from '../event.ts'
import type { EndedRequest } from '../http/server.ts'

/** Outcomes of an acknowledgement that only the operator can do something about. */
const FAILURES: ReadonlySet<string> = new Set(['rejected', 'broken', 'late'] satisfies EngineResponse['kind'][])

export interface RequestLogOptions {
  readonly log: Logger
  readonly withDestination: boolean
}

interface RequestLine {
  readonly event: RequestEvent['name']
  readonly method: string
  readonly route: string
  readonly status: number
  aborted?: true
  readonly milliseconds: number
  reference?: string
  kind?: VerdictKind
  rule?: string
  destination?: string
  refusal?: string
  outcome?: AcknowledgementResult
  engineStatus?: number | undefined
  retryAfter?: number
  reason?: string
}

/** The returned function's `route` is one of the portal's, or one name for all others. */
export function createRequestLog({ log, withDestination }: RequestLogOptions) {
  return ({ exchange, event, status, endedAt, isAborted }: EndedRequest, route: string): void => {
    const line: RequestLine = {
      event: event.name,
      method: exchange.method,
      route,
      status,
      milliseconds: Math.round((endedAt - exchange.receivedAt) * 10) / 10,
    }
    if (isAborted) line.aborted = true
    const { verdict } = event
    if (verdict !== undefined) {
      line.reference = verdict.reference
      line.kind = verdict.kind
      line.rule = verdict.ruleName
      if (withDestination) line.destination = verdict.destination.href
    }
    const outcome = auditOutcome(event)
    if (outcome !== undefined) line.outcome = outcome
    if ('refusal' in event && event.refusal !== undefined) line.refusal = event.refusal
    if ('notSent' in event && event.fullLimit !== undefined) line.reason = event.fullLimit
    if ('engineResponse' in event) {
      const { engineResponse } = event
      line.engineStatus = engineResponse.status
      if ('reason' in engineResponse) line.reason = engineResponse.reason
      if (engineResponse.kind === 'lockedOut') line.retryAfter = engineResponse.retryAfter
    }
    if (outcome !== undefined && FAILURES.has(outcome)) log.error(line, 'request')
    else log.info(line, 'request')
  }
}
