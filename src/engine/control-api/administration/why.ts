// Explains the decision about a request, given its URL or the reference that a visitor reads out.
import * as z from 'zod'
import type { Explanation } from '../../../contract/administration.ts'
import { DICTATED_REFERENCE, parseReference } from '../../../contract/reference.ts'
import type { StoppedRequest } from '../../monitoring/stopped-requests.ts'
import type { MatchReason } from '../../policy/conditions.ts'
import { explain } from '../../policy/explain/explain.ts'
import { linesThatChange } from '../../policy/explain/policy-lines.ts'
import type { Rule } from '../../policy/policy.ts'
import { exampleAddress } from '../../policy/room.ts'
import { Subject } from '../../policy/subject.ts'
import { ALL_OFF } from '../../policy/switches.ts'
import { isPortalName } from '../../portal-identity.ts'
import { findExemption } from '../../proxy-settings/exemptions.ts'
import type { Ruling } from '../../proxy-settings/ruled-hosts.ts'
import type { DecisionRequest } from '../../request/decision-request.ts'
import { sentUrl } from '../../request/target.ts'
import { parseUser } from '../../request/user.ts'
import type { EngineState } from '../../state/state.ts'
import { NO_LESSON_CODES } from '../../verdict/lesson-code.ts'
import { isAcknowledgeable } from '../../verdict/rule-claims.ts'
import { parseDecisionRequest } from '../parse-decision-request.ts'
import { problem } from '../responses.ts'
import { type Administration, administrationCall, type CallResult, instant, isoTime, roomName } from './call.ts'
import { describePermission } from './permissions.ts'

/** Of the rules that were tried, the last ones. */
const MAXIMUM_TRIED = 200
const MAXIMUM_CHARACTERS = 500
const UNKNOWN_REFERENCE =
  'No request with this reference is among the last 10,000 that this engine has stopped since its start.'
const MAXIMUM_CANDIDATES = 10

const question = {
  reference: z
    .string('must be a string')
    .transform(parseReference)
    .pipe(z.string().regex(DICTATED_REFERENCE, 'must have 8 to 22 letters, digits, "-" and "_"'))
    .optional(),
  // What a decision request has.
  url: z.unknown().optional(),
  client: z.unknown().optional(),
  user: z.unknown().optional(),
  method: z.unknown().optional(),
  at: instant.optional(),
}

export function whyCall(administration: Administration) {
  const { policies, stopped, clock, nameUser } = administration
  const shape = z.strictObject({ ...question, room: roomName(policies).optional() })
  return administrationCall('why', shape, async ({ reference, at, room, ...members }): Promise<CallResult<'why'>> => {
    if (reference !== undefined) {
      const isMore = [at, room, ...Object.values(members)].some((value) => value !== undefined)
      if (isMore) return { refused: problem(400, 'With "reference", no other member may be set.') }
      const [found, ...others] = stopped.find(reference)
      if (found === undefined) return { refused: problem(404, UNKNOWN_REFERENCE) }
      if (others.length > 0) return { refused: problem(409, candidatesText([found, ...others])) }
      // By the policy in force, like all of the explanation: a reload may have changed what is removed from names.
      const user = found.request.user && parseUser(found.request.user, policies.current.affixes)
      const explanation = explainAt(administration, { ...found.request, user }, found.at, administration.state)
      const permission = permissionOf(administration, explanation.request.host)
      return { ...explanation, permission, stopped: describeStopped(found) }
    }
    if (room !== undefined && members.client !== undefined) {
      return { refused: problem(400, 'Either "client" or "room" may be set.') }
    }
    const described = room === undefined ? members : { ...members, client: exampleAddress(room) }
    const request = parseDecisionRequest(described, policies.current.affixes)
    if (request.reason !== undefined) return { refused: problem(400, request.reason) }
    if (at !== undefined) return explainAt(administration, request, at, NOTHING_ON)
    const named = nameUser(request)
    return await considerState(administration, named, explainAt(administration, named, clock(), administration.state))
  })
}

/** What may be meant, a line each. */
function candidatesText(candidates: readonly StoppedRequest[]): string {
  const lines = candidates
    .slice(0, MAXIMUM_CANDIDATES)
    .map(({ reference, at, request }) => `${reference}  ${isoTime(at)}  ${request.client.address}  ${request.host}`)
  const more = candidates.length - lines.length
  const rest = more > 0 ? [`and ${more} older ones`] : []
  return [`${candidates.length} references begin like this, in capitals or small letters:`, ...lines, ...rest].join(
    '\n',
  )
}

/** At a given time no switch is on, and no lesson code in force. */
const NOTHING_ON = { switches: ALL_OFF, lessonCodes: NO_LESSON_CODES }

/** By today's policy, with the switches that are on. Synchronous: a reload may replace the policy meanwhile. */
function explainAt(
  { portal, policies: { current }, ruledHosts }: Administration,
  request: DecisionRequest,
  at: number,
  { switches, lessonCodes }: Pick<EngineState, 'switches' | 'lessonCodes'>,
): Explanation {
  const subject = new Subject(request, at, switches)
  const { host } = subject
  const isPortal = isPortalName(portal, host)
  const { tried, decided } = isPortal ? { tried: [], decided: undefined } : explain(current, subject)
  const { destination, method, client, user = null } = request
  const isAmbiguous = decided?.reason === 'ambiguous'
  const byRules = isAmbiguous ? 'refuse' : (decided?.rule.action ?? current.default)
  return {
    request: { url: sentUrl(request), host, method, client: client.address, user, at: isoTime(at) },
    verdict: isPortal ? 'allow' : byRules,
    because: isPortal ? 'portal' : decided === undefined ? 'default' : isAmbiguous ? 'path' : 'rule',
    rule: decided === undefined ? null : describeRule(decided.rule, isAcknowledgeable(decided.rule, at, lessonCodes)),
    ...describeReason(isAmbiguous ? undefined : decided?.reason),
    permission: null,
    exempt:
      isPortal || destination.scheme === 'http://' ? null : (findExemption(current.inspection, host, client) ?? null),
    ruled: describeRuling(ruledHosts.find(host)),
    tried: tried
      .filter(({ rule }) => rule !== decided?.rule)
      .slice(-MAXIMUM_TRIED)
      .map(({ rule, mismatches }) => ({
        ...{ rule: rule.name, action: rule.action, line: rule.line ?? null },
        mismatches: mismatches.map((mismatch) => mismatch.slice(0, MAXIMUM_CHARACTERS)),
      })),
    changes: (isPortal ? [] : linesThatChange(current, subject)).map(({ place, aboveLine = null, toml }) => {
      return { place, above_line: aboveLine, toml }
    }),
  }
}

/** Without a given time, a permission comes before the rules, and a session opens what its rule stops. */
async function considerState(
  administration: Administration,
  request: DecisionRequest,
  explanation: Explanation,
): Promise<Explanation> {
  if (explanation.because === 'portal') return explanation
  const { state } = administration
  const permission = permissionOf(administration, explanation.request.host)
  if (permission !== null) return { ...explanation, verdict: 'allow', because: 'permission', permission }
  const { rule, verdict } = explanation
  if (rule === null || (verdict !== 'warn' && verdict !== 'aup')) return explanation
  const hasSession = state.hasSession(rule.name, request) || (await state.findSession(rule.name, request))
  return hasSession ? { ...explanation, verdict: 'allow', because: 'session' } : explanation
}

function permissionOf({ state }: Administration, host: string): Explanation['permission'] {
  const permission = state.permissionFor(host)
  return permission === undefined ? null : describePermission(permission)
}

function describeRule(rule: Rule, isAcknowledgeable: boolean): Explanation['rule'] {
  const { name, action, line = null, description, category = null } = rule
  return { name, action, line, description, category, can_be_acknowledged: isAcknowledgeable }
}

/** What makes the host ruled; null where the proxy need not ask about requests for it. */
function describeRuling(ruling: Ruling | undefined): Explanation['ruled'] {
  if (ruling === undefined) return null
  if (ruling.by === 'audit' || ruling.by === 'default')
    return { by: ruling.by, rule: null, ...describeReason(undefined) }
  const { name, line = null } = ruling.rule
  return { by: ruling.by, rule: { name, line }, ...describeReason(ruling.by === 'rule' ? ruling : undefined) }
}

function describeReason(reason: MatchReason | undefined) {
  return { pattern: reason?.pattern ?? null, list: reason?.entry?.list ?? null, entry: reason?.entry?.entry ?? null }
}

/** What decided then; the policy may have changed since. */
function describeStopped({ reference, at, verdict, rule, reason }: StoppedRequest): Explanation['stopped'] {
  return { reference, at: isoTime(at), verdict, rule, ...describeReason(reason) }
}
