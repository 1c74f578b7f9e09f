// The acknowledgement call: a portal relays what a visitor acknowledges (protocol v1, section 2).
import { decodeOverrideCode, OVERRIDE_CODE_HEADER } from '../../contract/acknowledgement.ts'
import { parseVerdictQuery } from '../../contract/query.ts'
import type { Engine, Outcome } from '../engine.ts'
import type { AcknowledgementRecord } from '../monitoring/audit-events.ts'
import type { Monitoring } from '../monitoring/monitoring.ts'
import { parseClient } from '../request/client.ts'
import { acknowledgementProblem, type Handle, problem } from './responses.ts'

interface AcknowledgementCallOptions {
  readonly engine: Engine
  readonly monitoring: Monitoring
}

export function acknowledgementCall({ engine, monitoring }: AcknowledgementCallOptions): Handle {
  return async (request) => {
    const forwardedFor = parseClient(request.headers['x-forwarded-for']?.toString() ?? '')?.address
    const query = parseVerdictQuery(queryOf(request.url))
    const [header, ...more] = request.headersDistinct[OVERRIDE_CODE_HEADER] ?? []
    const code = header === undefined ? undefined : decodeOverrideCode(header)
    if (typeof query === 'string' || more.length > 0 || (header !== undefined && code === undefined)) {
      monitoring.acknowledged({ outcome: 'malformed', forwardedFor })
      return problem(400, 'The request must have p, v and ts, each once, and at most one well-formed override code.')
    }
    const { outcome, client, ...known } = await engine.acknowledge(query, code)
    monitoring.acknowledged({ ...loggable(outcome), ...known, client: client?.address, forwardedFor })
    if (outcome.kind !== 'accepted') return acknowledgementProblem(outcome)
    return { status: 302, headers: { location: outcome.location }, body: '' }
  }
}

/** Undecoded. */
function queryOf(target = ''): string {
  const mark = target.indexOf('?')
  return mark === -1 ? '' : target.slice(mark + 1)
}

/** The outcome without the location. */
function loggable(outcome: Outcome): AcknowledgementRecord {
  if (outcome.kind === 'accepted') return { outcome: outcome.kind, repeated: outcome.repeated }
  const { kind, ...detail } = outcome
  return { outcome: kind, ...detail }
}
