// One administration call: a JSON object in, checked against a shape that allows no other member, and a response out. A
// mistyped filter is an error: it must not end every session.
import * as z from 'zod'
import { ruleOf } from '../../../settings/problems.ts'
import { parsed, text } from '../../../settings/shapes.ts'
import type { Monitoring } from '../../monitoring/monitoring.ts'
import type { StoppedRequests } from '../../monitoring/stopped-requests.ts'
import type { PolicyStore } from '../../policy/reload/policy-store.ts'
import type { RuledHosts } from '../../proxy-settings/ruled-hosts.ts'
import { parseClient } from '../../request/client.ts'
import { parseUser, USER_RULE } from '../../request/user.ts'
import type { Clock } from '../../state/expiring-map.ts'
import type { EngineState } from '../../state/state.ts'
import { StateUnavailable } from '../../state/state-unavailable.ts'
import { readJson } from '../request-body.ts'
import { type ApiResponse, type Handle, problem } from '../responses.ts'

/** The dependencies of the calls. */
export interface Administration {
  readonly policies: PolicyStore
  readonly ruledHosts: RuledHosts
  readonly state: EngineState
  readonly stopped: StoppedRequests
  readonly clock: Clock
  readonly monitoring: Pick<Monitoring, 'administered' | 'decisions' | 'instance'>
}

const MAXIMUM_SHOWN = 100

export const ruleName = text(1, 128)
export const clientAddress = parsed('an IP address without a zone', parseClient)

/** By the policy in force when it is read. */
export function userName(policies: Pick<PolicyStore, 'current'>) {
  return parsed(USER_RULE, (text) => parseUser(text, policies.current.affixes))
}

export const all = z.literal(true, 'must be true, or missing')

/** How many at most. */
export const limit = z
  .int({ error: 'must be a whole number from 1 to 1000' })
  .min(1, 'must be a whole number from 1 to 1000')
  .max(1000, 'must be a whole number from 1 to 1000')
  .default(100)

/** @param from the caller's address, for the audit log */
export function administrationCall<Shape extends z.ZodType>(
  shape: Shape,
  handle: (input: z.output<Shape>, from: string | undefined) => ApiResponse | Promise<ApiResponse>,
): Handle {
  return async (request) => {
    const body = await readJson(request)
    if (body.rejection !== undefined) return body.rejection
    const { data, error } = shape.safeParse(body.json, { error: wordIssue })
    if (error !== undefined) return problem(400, detailOf(error))
    try {
      return await handle(data, request.socket.remoteAddress)
    } catch (error) {
      if (!(error instanceof StateUnavailable)) throw error
      return problem(503, "The engine's database does not respond.", { headers: { 'retry-after': '5' } })
    }
  }
}

/** In UTC, to the second. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/, 'Z')
}

/** The first issue. */
function detailOf({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined || issue.path.length === 0) {
    if (issue?.code === 'unrecognized_keys') return `${shown(issue.keys[0])} is not a member of this call.`
    return issue?.code === 'custom' ? issue.message : 'The body must be a JSON object.'
  }
  return `${shown(issue.path.join('.'))} ${ruleOf(issue.message)}.`
}

function shown(name: string | undefined): string {
  return JSON.stringify(`${name}`.slice(0, MAXIMUM_SHOWN))
}

function wordIssue({ code, input }: z.core.$ZodRawIssue): string | undefined {
  return code === 'invalid_type' && input === undefined ? 'must be set' : undefined
}
