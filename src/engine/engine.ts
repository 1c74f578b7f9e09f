// Decides and acknowledges, without a socket.
import type { Verdict } from '../contract/verdict.ts'
import { type Refusal, redeem } from '../contract/verdict-url.ts'
import { hostOf } from '../network/host.ts'
import type { Clock } from './clock.ts'
import type { StoppedRequest } from './monitoring/stopped-requests.ts'
import type { MatchReason } from './policy/conditions.ts'
import { groupOf } from './policy/group.ts'
import { findOpening } from './policy/opening.ts'
import { DEFAULT_RULE_NAME, findRule, type Override, type Policy, type WarnOrAupRule } from './policy/policy.ts'
import { Subject } from './policy/subject.ts'
import { isPortalName, type PortalIdentity } from './portal-identity.ts'
import type { Client } from './request/client.ts'
import type { DecisionRequest } from './request/decision-request.ts'
import type { NewAttempt, RightCode } from './state/attempts.ts'
import type { StateKeys } from './state/key-file.ts'
import type { EngineState } from './state/state.ts'
import { StateUnavailable } from './state/state-unavailable.ts'
import { type AckToken, codeFormatOf, digestOf, openToken } from './verdict/ack-token.ts'
import { createIssuer, type DecidingRule, type IssuedVerdict } from './verdict/issue.ts'
import { findRightCode } from './verdict/override-code.ts'
import { isAcknowledgeable } from './verdict/rule-claims.ts'

export interface Engine {
  /**
   * Decides about a request. A promise only where a session has to be looked up in the database: callers handle both, because a
   * decision from memory takes microseconds, and a promise would add a turn of the event loop to each.
   */
  decide(request: DecisionRequest): Decision | AmbiguousPath | Promise<Decision | AmbiguousPath>
  /**
   * Accepts an acknowledgement, or says why not. Never rejects because of the state.
   * @param query of the verdict's URL, without the question mark
   */
  acknowledge(query: string, code: string | undefined): Promise<Acknowledgement>
}

export type Decision =
  | { readonly verdict: 'allow'; readonly rule: string | undefined; readonly session: boolean }
  | IssuedVerdict

/** A rule that names a path would decide about an ambiguous one. No browser sends it, so the visitor gets an HTTP error. */
export interface AmbiguousPath {
  readonly verdict: 'refuse'
}

export type Outcome =
  | {
      readonly kind: 'accepted'
      readonly location: string
      /** No session was minted. */
      readonly repeated: boolean
      /** The id of the lesson code that opened it. */
      readonly lessonCode: string | undefined
    }
  /** The request could not be read. */
  | { readonly kind: 'malformed' }
  | { readonly kind: 'refused'; readonly reason: Refusal | 'no ack_token' | 'other ack_token' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'code missing' }
  | { readonly kind: 'code unexpected' }
  | { readonly kind: 'code rejected'; readonly attemptsRemaining: number }
  | { readonly kind: 'locked out'; readonly retryAfterSeconds: number }
  /** An attempt could not be counted, so no code is compared. */
  | { readonly kind: 'busy' }
  /** Nothing could be written. */
  | { readonly kind: 'unavailable'; readonly reason: string }

/** An outcome, and for the log what is known about its verdict. */
export interface Acknowledgement {
  readonly outcome: Outcome
  readonly reference?: string
  readonly rule?: string
  readonly client?: Client
  readonly user?: string | undefined
}

export interface EngineOptions {
  readonly portal: PortalIdentity
  /** Read for every request: a reload replaces the policy as a whole. */
  readonly policies: { readonly current: Policy }
  readonly state: EngineState
  readonly keys: StateKeys
  readonly stopped: { add(stopped: StoppedRequest): void }
  readonly clock: Clock
}

export function createEngine({ portal, policies, state, keys, stopped, clock }: EngineOptions): Engine {
  const issue = createIssuer(portal, state, keys.sealing, clock)
  const { keyring } = portal

  function issueVerdict(
    policy: Policy,
    rule: DecidingRule,
    reason: MatchReason | undefined,
    request: DecisionRequest,
  ): Decision {
    const at = clock()
    const issued = issue(policy, rule, request)
    const { reference, verdict } = issued
    stopped.add({ at, request, reason, reference, verdict, rule: issued.rule })
    return issued
  }

  /** The code if it is right, or why it is rejected. */
  async function checkCode(
    override: Override,
    rule: WarnOrAupRule,
    acknowledged: Acknowledged,
    code: string,
  ): Promise<{ readonly rejection: Outcome } | { readonly rejection?: undefined; readonly right: RightCode }> {
    const lockedOut = (ms: number): Outcome => ({ kind: 'locked out', retryAfterSeconds: Math.ceil(ms / 1000) })
    const attempt = await state.reserveAttempt({ ...acknowledged, code, limits: override })
    if (attempt.kind === 'locked out') return { rejection: lockedOut(attempt.retryAfterMs) }
    if (attempt.kind === 'full') return { rejection: { kind: 'busy' } }
    const { lessonCodes } = state
    const at = clock()
    const found = findRightCode(code, rule, override, lessonCodes, at)
    if (found !== undefined) {
      const codes = override.codes.length + lessonCodes.inForce(rule.name, codeFormatOf(rule), at).length
      const { lockoutMs } = override
      const { countedAt } = attempt
      return { right: { code, isOneOfSeveral: codes > 1, lockoutMs, countedAt, lessonCode: found.lessonCode?.id } }
    }
    return {
      rejection:
        attempt.left > 0 ? { kind: 'code rejected', attemptsRemaining: attempt.left } : lockedOut(override.lockoutMs),
    }
  }

  async function accept(policy: Policy, verdict: Verdict, token: AckToken, code: string | undefined): Promise<Outcome> {
    const now = Math.floor(clock() / 1000)
    // Today's policy decides: the rule may have been removed or changed since the verdict.
    const rule = policy.rules.find(({ name }) => name === verdict.ruleName)
    const isCurrent =
      (rule?.action === 'warn' || rule?.action === 'aup') &&
      rule.action === verdict.kind &&
      isAcknowledgeable(rule, clock(), state.lessonCodes) &&
      codeFormatOf(rule) === token.codeFormat
    if (!isCurrent || now > token.expiresAt) return { kind: 'expired' }
    const acknowledged = {
      reference: verdict.reference,
      rule: rule.name,
      identity: token.identity,
      host: hostOf(verdict.destination),
      group: groupOf(policy.groups, token.identity.user)?.name,
    }
    let rightCode: RightCode | undefined
    if (rule.override === undefined) {
      if (code !== undefined) return { kind: 'code unexpected' }
    } else {
      if (code === undefined) return { kind: 'code missing' }
      const checked = await checkCode(rule.override, rule, acknowledged, code)
      if (checked.rejection !== undefined) return checked.rejection
      rightCode = checked.right
    }
    const [{ repeated, codeEnded }, whole] = await Promise.all([
      state.redeem({
        ...acknowledged,
        sessionMs: rule.sessionMs,
        redeemableMs: (token.expiresAt - now) * 1000,
        rightCode,
      }),
      isWhole(verdict, token) ? verdict.destination.href : state.findUrl(token.digest),
    ])
    if (codeEnded) return { kind: 'expired' }
    const location = whole ?? verdict.destination.href
    return { kind: 'accepted', location, repeated, lessonCode: rightCode?.lessonCode }
  }

  /** @param lookedUp the rules for which a session was looked up, and whether it was found */
  function decide(request: DecisionRequest, lookedUp: ReadonlyMap<string, boolean>): ReturnType<Engine['decide']> {
    const policy = policies.current
    const subject = new Subject(request, clock(), state.switches)
    if (isPortalName(portal, subject.host)) return { verdict: 'allow', rule: undefined, session: false }
    const permissions = state.permissionsFor(subject.host)
    if (permissions.length > 0 && findOpening(policy, subject, permissions).permission !== undefined) {
      return { verdict: 'allow', rule: undefined, session: false }
    }
    const match = findRule(policy, subject)
    if (match === undefined) {
      if (policy.default === 'allow') return { verdict: 'allow', rule: undefined, session: false }
      return issueVerdict(policy, DEFAULT_BLOCK, undefined, request)
    }
    const { rule, reason } = match
    if (reason === 'ambiguous') return AMBIGUOUS_PATH
    if (rule.action === 'allow') return { verdict: 'allow', rule: rule.name, session: false }
    if (rule.action === 'block' || !rule.acknowledge) return issueVerdict(policy, rule, reason, request)
    const withSession: Decision = { verdict: 'allow', rule: rule.name, session: true }
    if (state.hasSession(rule.name, request) || lookedUp.get(rule.name)) return withSession
    if (lookedUp.has(rule.name) || lookedUp.size === MAXIMUM_LOOKUPS) {
      return issueVerdict(policy, rule, reason, request)
    }
    // Meanwhile a reload may replace the policy: the one in force then decides, and the lists of this one are freed.
    return state
      .findSession(rule.name, request)
      .then((isFound) => decide(request, new Map([...lookedUp, [rule.name, isFound]])))
  }

  return {
    decide: (request) => decide(request, NOTHING_LOOKED_UP),
    async acknowledge(query, code) {
      const policy = policies.current
      // The age does not matter: the token has its own end, because a reload may have changed how long a verdict is accepted.
      const maxAgeSeconds = policy.acknowledgementMs / 1000
      const { verdict, refusal } = redeem(query, keyring, { now: clock(), maxAgeSeconds })
      if (refusal === 'query' || refusal === 'version') return { outcome: { kind: 'malformed' } }
      if (refusal !== undefined) return { outcome: { kind: 'refused', reason: refusal } }
      const { reference, ruleName: rule, ackToken } = verdict
      if (ackToken === undefined) return { outcome: { kind: 'refused', reason: 'no ack_token' }, reference, rule }
      const token = openToken(keys.opening, verdict, ackToken)
      if (token === undefined || (!verdict.shortened && !isWhole(verdict, token))) {
        return { outcome: { kind: 'refused', reason: 'other ack_token' }, reference, rule }
      }
      const known = { reference, rule, ...token.identity }
      try {
        return { outcome: await accept(policy, verdict, token, code), ...known }
      } catch (error) {
        if (!(error instanceof StateUnavailable)) throw error
        return { outcome: { kind: 'unavailable', reason: error.message }, ...known }
      }
    },
  }
}

const NOTHING_LOOKED_UP: ReadonlyMap<string, boolean> = new Map()
/** Each further one needs a reload during the one before. */
const MAXIMUM_LOOKUPS = 3
type Acknowledged = Omit<NewAttempt, 'code' | 'limits'>

const AMBIGUOUS_PATH: AmbiguousPath = { verdict: 'refuse' }

/** Blocks requests that no rule matches, if the default of the policy is to block. */
const DEFAULT_BLOCK = {
  action: 'block',
  name: DEFAULT_RULE_NAME,
  description: '',
  descriptions: undefined,
  category: undefined,
} as const

/** Whether the payload has the destination as it was requested. */
function isWhole({ destination }: Verdict, { digest }: AckToken): boolean {
  return digestOf(destination) === digest
}
