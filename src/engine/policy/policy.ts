// The policy: rules in the order in which they are tried, and the rule that matches a host.
import type { Keyring } from '../../contract/secret.ts'
import { type HostPattern, matchesHost, withoutBrackets, withoutRootDot } from './host-pattern.ts'

export interface Policy {
  /** The portal's public address, an origin without a slash at its end. */
  readonly baseUrl: string
  /** Names and addresses of the portal, that of the base URL first; as the URL parser spells them, without brackets. */
  readonly portalNames: readonly string[]
  readonly keyring: Keyring
  /** How long a verdict can be acknowledged, in milliseconds. */
  readonly acknowledgementMs: number
  /** The first rule that matches decides; a host that none matches is allowed. */
  readonly rules: readonly Rule[]
}

export type Rule = AllowRule | BlockRule | WarnOrAupRule

interface RuleText {
  /** Unique within the policy. */
  readonly name: string
  readonly description: string
  readonly category: string | undefined
  readonly match: readonly HostPattern[]
}

interface AllowRule extends RuleText {
  readonly action: 'allow'
}

export interface BlockRule extends RuleText {
  readonly action: 'block'
}

export interface WarnOrAupRule extends RuleText {
  readonly action: 'warn' | 'aup'
  /** False where the visitor cannot proceed. */
  readonly acknowledge: boolean
  /** How long a session lasts after an acknowledgement, in milliseconds. */
  readonly sessionMs: number
  readonly override: Override | undefined
}

/** The code that a rule requires with the acknowledgement, and how often it may be guessed. */
export interface Override {
  readonly type: 'pin' | 'passphrase'
  readonly code: string
  readonly prompt: string | undefined
  /** Number of wrong codes that starts a lockout. */
  readonly attempts: number
  readonly lockoutMs: number
}

/**
 * The rule that decides about a host, as the URL parser spells it. No rule applies to the portal's own names: redirecting
 * the portal to the portal is a loop.
 */
export function findRule({ rules, portalNames }: Policy, hostname: string): Rule | undefined {
  const host = withoutRootDot(hostname)
  if (portalNames.includes(withoutBrackets(host))) return undefined
  return rules.find(({ match }) => match.some((pattern) => matchesHost(pattern, host)))
}
