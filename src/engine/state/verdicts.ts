// The verdicts that can still be acknowledged, with the whole URL, which the payload may have shortened.
import { randomBytes } from 'node:crypto'
import type { Destination } from '../../contract/destination.ts'
import { buildVerdictUrl } from '../../contract/redirect.ts'
import type { VerdictClaims } from '../../contract/verdict.ts'
import type { Client } from '../policy/client.ts'
import type { BlockRule, Override, Policy, WarnOrAupRule } from '../policy/policy.ts'
import { type Clock, createExpiringMap } from './expiring-map.ts'

export interface IssuedVerdict {
  readonly ackToken: string
  readonly rule: WarnOrAupRule
  /** The session and the lockout belong to this client, even if another one redeems the verdict. */
  readonly client: Client
  /** The original URL, whole. */
  readonly location: string
  /** Whether a session was minted for it; a repeated request mints no second one. */
  acknowledged: boolean
}

export interface Verdicts {
  /** Builds the redirect to the portal, and stores the verdict if it can be acknowledged. */
  issue(
    rule: BlockRule | WarnOrAupRule,
    destination: Destination,
    client: Client,
  ): { reference: string; redirect: string }
  /** The verdict, unless it expired or was evicted. */
  find(reference: string): IssuedVerdict | undefined
  sweep(): void
}

export function createVerdicts(policy: Policy, clock: Clock, capacity: number): Verdicts {
  const issued = createExpiringMap<IssuedVerdict>(clock, capacity)
  return {
    issue(rule, destination, client) {
      const ts = Math.floor(clock() / 1000)
      const reference = randomBytes(16).toString('base64url')
      const claims: VerdictClaims = {
        v: 1,
        ts,
        kind: rule.action,
        jti: reference,
        destination: destination.href,
        rule_name: rule.name,
        rule_description: rule.description,
        ...(rule.category !== undefined && { category: rule.category }),
      }
      if (rule.action !== 'block' && rule.acknowledge) {
        const ackToken = randomBytes(24).toString('base64url')
        claims.ack_token = ackToken
        if (rule.override !== undefined) claims.override = overrideClaim(rule.override)
        const verdict = { ackToken, rule, client, location: destination.href, acknowledged: false }
        // Whole seconds since `ts`, as the portal counts: exactly that age is still accepted.
        issued.set(reference, verdict, (ts + 1) * 1000 + policy.acknowledgementMs)
      }
      return { reference, redirect: buildVerdictUrl(claims, policy.baseUrl, policy.keyring.sealing) }
    },
    find: (reference) => issued.get(reference),
    sweep: () => issued.sweep(),
  }
}

function overrideClaim({ type, code, prompt }: Override): NonNullable<VerdictClaims['override']> {
  const label = prompt !== undefined && { prompt }
  return type === 'pin' ? { type, length: code.length, ...label } : { type, ...label }
}
