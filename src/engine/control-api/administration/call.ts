// One administration call: a JSON object in, checked against a shape that allows no other member, and a response out. A
// mistyped filter is an error: it must not end every session.
import * as z from 'zod'
import {
  type AdministrationCall,
  type AdministrationRequest,
  type AdministrationResponse,
  MAXIMUM_LISTED,
} from '../../../contract/administration.ts'
import type { EngineLog } from '../../../contract/engine-health.ts'
import { DatabaseUnavailable } from '../../../database/unavailable.ts'
import { ruleOf } from '../../../settings/problems.ts'
import type { DatabaseLocation } from '../../../settings/sections/database.ts'
import { integer, parsed, text } from '../../../settings/shapes.ts'
import type { Clock } from '../../clock.ts'
import type { Journal } from '../../journal/journal.ts'
import { JournalUnavailable } from '../../journal/journal-unavailable.ts'
import type { Monitoring } from '../../monitoring/monitoring.ts'
import type { StoppedRequests } from '../../monitoring/stopped-requests.ts'
import type { PolicyStore } from '../../policy/reload/policy-store.ts'
import type { PortalIdentity } from '../../portal-identity.ts'
import type { RuledHosts } from '../../proxy-settings/ruled-hosts.ts'
import { parseClient } from '../../request/client.ts'
import type { NameUser } from '../../request/reported-user.ts'
import { parseUser, USER_RULE } from '../../request/user.ts'
import type { EngineState } from '../../state/state.ts'
import { readJson } from '../request-body.ts'
import { type ApiResponse, type Handle, json, problem } from '../responses.ts'

/** The dependencies of the calls. */
export interface Administration {
  readonly portal: PortalIdentity
  readonly policies: PolicyStore
  readonly ruledHosts: RuledHosts
  readonly state: EngineState
  readonly stopped: StoppedRequests
  /** Undefined where it is turned off. */
  readonly journal: Journal | undefined
  readonly clock: Clock
  readonly nameUser: NameUser
  /** Where its data is. */
  readonly databases: Databases
  /** What its log has about visitors. */
  readonly audit: EngineLog
  readonly monitoring: Pick<Monitoring, 'administered' | 'decisions' | 'instance' | 'ruleHits'>
}

/** By what is in them. */
interface Databases {
  readonly state: DatabaseLocation
  /** Without a journal, too: it may have what an earlier one has left. */
  readonly journal: DatabaseLocation
}

const MAXIMUM_SHOWN = 100
/** Of problems and of warnings. */
const MAXIMUM_LINES = 200
const MAXIMUM_CHARACTERS = 1000

export const ruleName = text(1, 128)
export const clientAddress = parsed('an IP address without a zone', parseClient)

/** By the policy in force when it is read. */
export function userName(policies: Pick<PolicyStore, 'current'>) {
  return parsed(USER_RULE, (text) => parseUser(text, policies.current.affixes))
}

/** A name of the policy's `[rooms]`. By the policy in force when it is read. */
export function roomName(policies: Pick<PolicyStore, 'current'>) {
  return parsed('a room of [rooms] in the policy', (text) => policies.current.rooms.find(({ name }) => name === text))
}

export const instant = parsed('a time such as "2026-11-20T08:00:00Z", from 1970 to 9999', (given) => {
  if (!/^\d{4}-/.test(given)) return undefined
  try {
    const { epochMilliseconds } = Temporal.Instant.from(given)
    return epochMilliseconds < 0 ? undefined : epochMilliseconds
  } catch {
    return undefined
  }
})

export const all = z.literal(true, 'must be true, or missing')

/** How many at most. */
export const limit = integer(1, MAXIMUM_LISTED).default(100)

/** What a call returns, or the response to a request that it rejects. */
export type CallResult<Name extends AdministrationCall> =
  | AdministrationResponse<Name>
  | { readonly refused: ApiResponse }

/**
 * The call under its name.
 * @param shape must accept every request of the contract
 * @param handle gets the caller's address, for the audit log
 */
export function administrationCall<Name extends AdministrationCall, Shape extends z.ZodType>(
  name: Name,
  shape: Shape & (AdministrationRequest<Name> extends z.input<Shape> ? unknown : never),
  handle: (input: z.output<Shape>, from: string | undefined) => Promise<CallResult<Name>>,
): Readonly<Record<Name, Handle>> {
  const respond: Handle = unlessUnavailable(async (request) => {
    const body = await readJson(request)
    if (body.refused !== undefined) return body.refused
    const { data, error } = shape.safeParse(body.json, { error: wordIssue })
    if (error !== undefined) return problem(400, detailOf(error))
    const result = await handle(data, request.socket.remoteAddress)
    return 'refused' in result ? result.refused : json(result)
  })
  return { [name]: respond } as Record<Name, Handle>
}

export function unlessUnavailable(handle: Handle): Handle {
  return async (request) => {
    try {
      return await handle(request)
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error
      const whose = error instanceof JournalUnavailable ? "The journal's" : "The engine's"
      return problem(503, `${whose} database does not respond.`, { headers: { 'retry-after': '5' } })
    }
  }
}

/** In UTC, to the second. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/, 'Z')
}

/** Problems or warnings, as many and as much of each as a response has. */
export function bounded(lines: readonly string[]): readonly string[] {
  const shown = lines.slice(0, MAXIMUM_LINES).map((line) => line.slice(0, MAXIMUM_CHARACTERS))
  return lines.length > shown.length ? [...shown, `and ${lines.length - shown.length} more`] : shown
}

/** The first issue. */
export function detailOf({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined || issue.path.length === 0) {
    if (issue?.code === 'unrecognized_keys') return `${shown(issue.keys[0])} is not a member of this call.`
    return issue?.code === 'custom' ? issue.message : 'The body must be a JSON object.'
  }
  return `${shown(issue.path.join('.'))} ${ruleOf(issue.message)}.`
}

function shown(name: string | undefined): string {
  return JSON.stringify(`${name}`.slice(0, MAXIMUM_SHOWN))
}

export function wordIssue({ code, input }: z.core.$ZodRawIssue): string | undefined {
  return code === 'invalid_type' && input === undefined ? 'must be set' : undefined
}
