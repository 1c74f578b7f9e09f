// The acknowledgement call: a portal relays what a visitor acknowledges (protocol v1, section 2).
import { decodeOverrideCode, OVERRIDE_CODE_HEADER } from '../../contract/acknowledgement.ts'
import type { Acknowledgement, Engine, Outcome } from '../engine.ts'
import type { AcknowledgementRecord } from '../monitoring/audit-events.ts'
import type { Monitoring } from '../monitoring/monitoring.ts'
import { parseClient } from '../request/client.ts'
import { acknowledgementProblem, type Handle } from './responses.ts'

interface AcknowledgementCallOptions {
  readonly engine: Engine
  readonly monitoring: Monitoring
}

export function acknowledgementCall({ engine, monitoring }: AcknowledgementCallOptions): Handle {
  return async (request) => {
    const forwardedFor = parseClient(request.headers['x-forwarded-for']?.toString() ?? '')?.address
    const [header, ...more] = request.headersDistinct[OVERRIDE_CODE_HEADER] ?? []
    const code = header === undefined ? undefined : decodeOverrideCode(header)
    const isCodeMalformed = more.length > 0 || (header !== undefined && code === undefined)
    const acknowledgement = isCodeMalformed ? MALFORMED : await engine.acknowledge(queryOf(request.url), code)
    const { outcome, client, ...known } = acknowledgement
    monitoring.acknowledged({ ...loggable(outcome), ...known, client: client?.address, forwardedFor })
    if (outcome.kind !== 'accepted') return acknowledgementProblem(outcome)
    return { status: 302, headers: { location: outcome.location }, body: '' }
  }
}

const MALFORMED: Acknowledgement = { outcome: { kind: 'malformed' } }

/** Undecoded. */
function queryOf(target = ''): string {
  const mark = target.indexOf('?')
  return mark === -1 ? '' : target.slice(mark + 1)
}

/** The outcome without the location. */
function loggable(outcome: Outcome): AcknowledgementRecord {
  if (outcome.kind === 'accepted') {
    const { kind, repeated, lessonCode } = outcome
    return { outcome: kind, repeated, lessonCode }
  }
  const { kind, ...detail } = outcome
  return { outcome: kind, ...detail }
}
