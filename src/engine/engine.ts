// The engine's two questions, without a socket: may this client go there, and does this acknowledgement hold?
import { createHmac, randomBytes } from 'node:crypto'
import type { Destination } from '../contract/destination.ts'
import { PayloadOpener, type PayloadRefusal } from '../contract/open.ts'
import type { VerdictQuery } from '../contract/query.ts'
import type { VerdictKind } from '../contract/verdict.ts'
import { equalInConstantTime } from './constant-time.ts'
import type { Client } from './policy/client.ts'
import { findRule, type Override, type Policy } from './policy/policy.ts'
import type { Clock } from './state/expiring-map.ts'
import { createLockouts } from './state/lockouts.ts'
import { createSessions } from './state/sessions.ts'
import { createVerdicts, type IssuedVerdict } from './state/verdicts.ts'

export interface Engine {
  /** Decides about a URL and whoever asks for it; `reference` is the verdict's id, `redirect` its page. */
  decide(destination: Destination, client: Client): Decision
  /** Redeems a verdict. Synchronous, so that two at once are one after the other. */
  acknowledge(query: Pick<VerdictQuery, 'p' | 'ts'>, code: string | undefined): Acknowledgement
  /** Drops what has expired; to be called now and then. */
  sweep(): void
}

type Decision =
  | { readonly verdict: 'allow'; readonly rule: string | undefined; readonly session: boolean }
  | { readonly verdict: VerdictKind; readonly rule: string; readonly reference: string; readonly redirect: string }

export type Outcome =
  | { readonly kind: 'accepted'; readonly location: string /** No session was minted. */; readonly repeated: boolean }
  | { readonly kind: 'refused'; readonly reason: PayloadRefusal | 'no ack_token' | 'other ack_token' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'code missing' }
  | { readonly kind: 'code unexpected' }
  | { readonly kind: 'code rejected'; readonly attemptsRemaining: number }
  | { readonly kind: 'locked out'; readonly retryAfterSeconds: number }
  /** No memory to count a wrong code: then none is looked at. */
  | { readonly kind: 'busy' }

/** An outcome, and what is known for the log about the verdict it is about. */
interface Acknowledgement {
  readonly outcome: Outcome
  readonly reference?: string
  readonly rule?: string
  readonly client?: Client
}

export interface Capacity {
  readonly verdicts: number
  readonly sessions: number
  readonly lockouts: number
}

/** With URLs of the greatest length, 20,000 verdicts hold about 160 MB. */
const CAPACITY: Capacity = { verdicts: 20_000, sessions: 100_000, lockouts: 100_000 }

export interface EngineOptions {
  readonly policy: Policy
  readonly clock: Clock
  readonly capacity?: Partial<Capacity>
}

export function createEngine({ policy, clock, capacity }: EngineOptions): Engine {
  const most = { ...CAPACITY, ...capacity }
  const verdicts = createVerdicts(policy, clock, most.verdicts)
  const sessions = createSessions(clock, most.sessions)
  const lockouts = createLockouts(clock, most.lockouts)
  const opener = new PayloadOpener(policy.keyring)
  const fingerprintKey = randomBytes(32)

  /** What is wrong with the code; undefined when it is right. */
  function refuseCode(
    override: Override,
    { rule, client }: IssuedVerdict,
    reference: string,
    code: string,
  ): Outcome | undefined {
    const key = `${client.network} ${rule.name}`
    const lockedOut = (ms: number): Outcome => ({ kind: 'locked out', retryAfterSeconds: Math.ceil(ms / 1000) })
    const lockedMs = lockouts.remainingMs(key)
    if (lockedMs > 0) return lockedOut(lockedMs)
    if (!lockouts.canCount(key)) return { kind: 'busy' }
    // The same letters can be typed composed or decomposed (ü): that is the keyboard's choice, not the visitor's.
    if (equalInConstantTime(code.normalize('NFC'), override.code.normalize('NFC'))) {
      lockouts.forget(key)
      return undefined
    }
    const fingerprint = createHmac('sha256', fingerprintKey).update(`${reference} ${code}`).digest('base64url')
    const attemptsRemaining = lockouts.countWrong(key, fingerprint, override)
    return attemptsRemaining > 0 ? { kind: 'code rejected', attemptsRemaining } : lockedOut(override.lockoutMs)
  }

  function redeem(issued: IssuedVerdict, reference: string, code: string | undefined): Outcome {
    const { rule, client, location, acknowledged } = issued
    if (rule.override === undefined) {
      if (code !== undefined) return { kind: 'code unexpected' }
    } else {
      if (code === undefined) return { kind: 'code missing' }
      const refusal = refuseCode(rule.override, issued, reference, code)
      if (refusal !== undefined) return refusal
    }
    if (!acknowledged) sessions.mint(rule.name, client, rule.sessionMs)
    issued.acknowledged = true
    return { kind: 'accepted', location, repeated: acknowledged }
  }

  return {
    decide(destination, client) {
      const rule = findRule(policy, new URL(destination.href).hostname)
      if (rule === undefined || rule.action === 'allow') return { verdict: 'allow', rule: rule?.name, session: false }
      if (sessions.isLive(rule.name, client)) return { verdict: 'allow', rule: rule.name, session: true }
      return { verdict: rule.action, rule: rule.name, ...verdicts.issue(rule, destination, client) }
    },
    acknowledge(query, code) {
      const verdict = opener.open(query)
      if (typeof verdict === 'string') return { outcome: { kind: 'refused', reason: verdict } }
      const { reference, ruleName: rule, ackToken } = verdict
      if (ackToken === undefined) return { outcome: { kind: 'refused', reason: 'no ack_token' }, reference, rule }
      const issued = verdicts.find(reference)
      if (issued === undefined) return { outcome: { kind: 'expired' }, reference, rule }
      const { client } = issued
      if (!equalInConstantTime(ackToken, issued.ackToken)) {
        return { outcome: { kind: 'refused', reason: 'other ack_token' }, reference, rule, client }
      }
      return { outcome: redeem(issued, reference, code), reference, rule, client }
    },
    sweep() {
      verdicts.sweep()
      sessions.sweep()
      lockouts.sweep()
    },
  }
}
