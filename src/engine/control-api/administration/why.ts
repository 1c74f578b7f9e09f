// Explains the decision about a request, given its URL or the reference that a visitor reads out.
import * as z from 'zod'
import type { Explanation } from '../../../contract/administration.ts'
import type { MatchReason } from '../../policy/conditions.ts'
import { explain } from '../../policy/explain/explain.ts'
import { linesThatChange } from '../../policy/explain/policy-lines.ts'
import { findOpening, scopeMismatches } from '../../policy/opening.ts'
import { isLocked, type Rule } from '../../policy/policy.ts'
import { exampleAddress } from '../../policy/room.ts'
import { Subject } from '../../policy/subject.ts'
import { ALL_OFF } from '../../policy/switches.ts'
import { isPortalName } from '../../portal-identity.ts'
import { findExemption } from '../../proxy-settings/exemptions.ts'
import type { Ruling } from '../../proxy-settings/ruled-hosts.ts'
import type { DecisionRequest } from '../../request/decision-request.ts'
import { sentUrl } from '../../request/target.ts'
import type { EngineState } from '../../state/state.ts'
import { NO_LESSON_CODES } from '../../verdict/lesson-code.ts'
import { isAcknowledgeable } from '../../verdict/rule-claims.ts'
import { parseDecisionRequest } from '../parse-decision-request.ts'
import { problem } from '../responses.ts'
import { type Administration, administrationCall, type CallResult, instant, isoTime, roomName } from './call.ts'
import { describePermission } from './permissions.ts'
import { dictatedReference } from './stopped.ts'
import { lookUpStopped } from './stopped-then.ts'

/** Of the rules that were tried, the last ones. */
const MAXIMUM_TRIED = 200
const MAXIMUM_CHARACTERS = 500
const MAXIMUM_PERMISSIONS = 20
/** A permission without a scope. */
const FOR_EVERYONE = { client: undefined, room: undefined, user: undefined, group: undefined, despite: undefined }

const question = {
  reference: dictatedReference.optional(),
  // What a decision request has.
  url: z.unknown().optional(),
  client: z.unknown().optional(),
  user: z.unknown().optional(),
  method: z.unknown().optional(),
  at: instant.optional(),
}

export function whyCall(administration: Administration) {
  const { policies, clock, nameUser } = administration
  const shape = z.strictObject({ ...question, room: roomName(policies).optional() })
  return administrationCall('why', shape, async ({ reference, at, room, ...members }): Promise<CallResult<'why'>> => {
    if (reference !== undefined) {
      const isMore = [at, room, ...Object.values(members)].some((value) => value !== undefined)
      if (isMore) return { refused: problem(400, 'With "reference", no other member may be set.') }
      const found = await lookUpStopped(administration, reference)
      if ('refused' in found) return found
      const { request, at: stoppedAt, then } = found
      const explanation = explainAt(administration, request, stoppedAt, administration.state)
      return { ...explanation, ...describePermissions(administration, request), stopped: then }
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
    other_permissions: [],
    despite: isPortal ? null : (findOpening(current, subject, [FOR_EVERYONE]).barrier?.switch ?? null),
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

/** Without a given time, permissions and sessions open what rules stop. */
async function considerState(
  administration: Administration,
  request: DecisionRequest,
  explanation: Explanation,
): Promise<Explanation> {
  if (explanation.because === 'portal') return explanation
  const { state } = administration
  const permissions = describePermissions(administration, request)
  const explained = { ...explanation, ...permissions }
  if (permissions.permission !== null) return { ...explained, verdict: 'allow', because: 'permission' }
  const { rule, verdict } = explained
  if (rule === null || (verdict !== 'warn' && verdict !== 'aup')) return explained
  const hasSession = state.hasSession(rule.name, request) || (await state.findSession(rule.name, request))
  return hasSession ? { ...explained, verdict: 'allow', because: 'session' } : explained
}

/** Those of now. Without one that opens the request, the others with the reasons. */
function describePermissions(
  { policies: { current }, portal, state, clock }: Administration,
  request: DecisionRequest,
): Pick<Explanation, 'permission' | 'other_permissions'> {
  const subject = new Subject(request, clock(), state.switches)
  const permissions = isPortalName(portal, subject.host) ? [] : state.permissionsFor(subject.host)
  const { permission } = findOpening(current, subject, permissions)
  if (permission !== undefined) return { permission: describePermission(permission), other_permissions: [] }
  return {
    permission: null,
    other_permissions: permissions.slice(0, MAXIMUM_PERMISSIONS).map((one) => {
      const { barrier } = findOpening(current, subject, [one])
      const mismatches = barrier === undefined ? scopeMismatches(one, subject, current) : [barrierText(barrier)]
      return { ...describePermission(one), mismatches }
    }),
  }
}

function barrierText(rule: Rule): string {
  const { name } = rule
  return isLocked(rule)
    ? `the rule "${name}" is locked: nothing opens it`
    : `the rule "${name}" stops it, and its switch "${rule.switch}" is on: only a permission despite "${rule.switch}" opens it`
}

function describeRule(rule: Rule, isAcknowledgeable: boolean): Explanation['rule'] {
  const { name, action, line = null, description, category = null } = rule
  return {
    ...{ name, action, line, description, category },
    can_be_acknowledged: isAcknowledgeable,
    locked: isLocked(rule),
    switch: rule.switch ?? null,
  }
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
