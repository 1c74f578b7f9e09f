// Decides and acknowledges, without a socket.
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
  /** Decides about a URL and a client; `reference` is the verdict's id, `redirect` the URL of its page. */
  decide(destination: Destination, client: Client): Decision
  /** Redeems a verdict. Synchronous, so that concurrent requests cannot interleave. */
  acknowledge(query: Pick<VerdictQuery, 'p' | 'ts'>, code: string | undefined): Acknowledgement
  /** Deletes what has expired; call it periodically. */
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
  /** A wrong code could not be counted, so none is checked. */
  | { readonly kind: 'busy' }

/** An outcome, and for the log what is known about its verdict. */
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

/** With URLs of maximum length, 20,000 verdicts need about 160 MB. */
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

  /** Why the code is rejected; undefined when it is right. */
  function rejectCode(
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
    // Keyboards send the same character composed or decomposed (ü).
    if (equalInConstantTime(code.normalize('NFC'), override.code.normalize('NFC'))) {
      lockouts.reset(key)
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
      const rejection = rejectCode(rule.override, issued, reference, code)
      if (rejection !== undefined) return rejection
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
