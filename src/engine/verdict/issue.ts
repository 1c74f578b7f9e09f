// Issues verdicts: the redirect to the portal, with everything in it that is needed to acknowledge it. Nothing is stored,
// except a URL that is too long for the payload.
import type { KeyObject } from 'node:crypto'
import { takeRandomBytes } from '../../contract/random-bytes.ts'
import type { VerdictClaims, VerdictKind } from '../../contract/verdict.ts'
import { seal } from '../../contract/verdict-url.ts'
import type { Clock } from '../clock.ts'
import type { BlockRule, Policy, WarnOrAupRule } from '../policy/policy.ts'
import { Subject } from '../policy/subject.ts'
import type { PortalIdentity } from '../portal-identity.ts'
import type { DecisionRequest } from '../request/decision-request.ts'
import type { EngineState } from '../state/state.ts'
import { codeFormatOf, digestOf, sealToken } from './ack-token.ts'
import type { LessonCodes } from './lesson-code.ts'
import { opensAt } from './opens-at.ts'
import { acknowledgementClaims, isAcknowledgeable, isExpired, ruleClaims } from './rule-claims.ts'

export interface IssuedVerdict {
  readonly verdict: VerdictKind
  readonly rule: string
  /** The verdict's id. */
  readonly reference: string
  /** The URL of its page. */
  readonly redirect: string
}

/** A rule, or the default. */
export type DecidingRule =
  | Pick<BlockRule, 'action' | 'name' | 'description' | 'descriptions' | 'category'>
  | WarnOrAupRule

type IssueVerdict = (
  policy: Pick<Policy, 'acknowledgementMs' | 'rules' | 'default'>,
  rule: DecidingRule,
  request: DecisionRequest,
) => IssuedVerdict

/** @param key seals the ack_token */
export function createIssuer(
  portal: Pick<PortalIdentity, 'baseUrl' | 'keyring'>,
  state: Pick<EngineState, 'rememberUrl' | 'switches' | 'lessonCodes'>,
  key: KeyObject,
  clock: Clock,
): IssueVerdict {
  return (policy, rule, request) => {
    const { destination } = request
    const { lessonCodes } = state
    const now = clock()
    const ts = Math.floor(now / 1000)
    const reference = takeRandomBytes(16).toString('base64url')
    const claims: VerdictClaims = {
      v: 1,
      ts,
      kind: rule.action,
      jti: reference,
      destination: destination.href,
      ...ruleClaims(rule),
    }
    const opens = opensAt(policy, rule, new Subject(request, now, state.switches))
    if (opens !== undefined) claims.opens_at = opens
    const canProceed = rule.action !== 'block' && isAcknowledgeable(rule, now, lessonCodes)
    const digest = canProceed ? digestOf(destination) : ''
    if (canProceed) {
      // In whole seconds since `ts`, as the portal counts: exactly that age is still accepted.
      const expiresAt = ts + Math.floor(policy.acknowledgementMs / 1000)
      const token = { identity: request, expiresAt, codeFormat: codeFormatOf(rule), digest }
      claims.ack_token = sealToken(key, { reference, kind: rule.action, ruleName: rule.name, destination }, token)
      Object.assign(claims, acknowledgementClaims(rule, longestMs(rule, lessonCodes, now)))
    }
    const { url, shortened } = seal(claims, portal.baseUrl, portal.keyring.sealing)
    if (shortened && canProceed && request.method === 'GET') {
      state.rememberUrl({ digest, url: destination.href, milliseconds: policy.acknowledgementMs })
    }
    return { verdict: rule.action, rule: rule.name, reference, redirect: url }
  }
}

/** For how long a code can open the rule: one of the policy as long as its sessions last, a lesson code until it ends. */
function longestMs(rule: WarnOrAupRule, lessonCodes: LessonCodes, now: number): number {
  const { override } = rule
  if (override === undefined || override.codes.some((code) => !isExpired(code, now))) return Infinity
  return lessonCodes.longestMs(rule.name, codeFormatOf(rule), now)
}
