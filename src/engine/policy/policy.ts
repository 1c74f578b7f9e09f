// The policy: rules in the order in which they are tried, and which of them a host meets.
import type { Keyring } from '../../contract/secret.ts'

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
  /** False for the flavour without a way on. */
  readonly acknowledge: boolean
  /** How long an acknowledgement opens the way, in milliseconds. */
  readonly sessionMs: number
  readonly override: Override | undefined
}

/** The code that a rule asks for beside the acknowledgement, and how often it may be guessed. */
export interface Override {
  readonly type: 'pin' | 'passphrase'
  readonly code: string
  readonly prompt: string | undefined
  /** Wrong codes that lead to the lockout. */
  readonly attempts: number
  readonly lockoutMs: number
}

/** A host (`casino.example`), every host below one (`*.casino.example`), or every host (`*`). */
export interface HostPattern {
  readonly host: string
  readonly below: boolean
}

/** Reads a host pattern; a port is ignored. Undefined when it is none. */
export function parseHostPattern(text: string): HostPattern | undefined {
  if (text === '*') return { host: '', below: true }
  const below = text.startsWith('*.')
  const url = URL.parse(`http://${below ? text.slice(2) : text}`)
  if (url === null || /[/?#@\\*\s]/.test(below ? text.slice(2) : text)) return undefined
  return { host: withoutRootDot(url.hostname), below }
}

/**
 * The rule that decides about a host, as the URL parser spells it. None does about the portal's own, whatever they say: a
 * portal that is itself redirected to the portal is a loop.
 */
export function findRule({ rules, portalNames }: Policy, hostname: string): Rule | undefined {
  const host = withoutRootDot(hostname)
  if (portalNames.includes(withoutBrackets(host))) return undefined
  return rules.find(({ match }) => match.some((pattern) => matches(pattern, host)))
}

function matches(pattern: HostPattern, host: string): boolean {
  if (!pattern.below) return host === pattern.host
  return pattern.host === '' || host.endsWith(`.${pattern.host}`)
}

/** An IPv6 address as it stands alone, from the form that it has in a URL; other hosts as they are. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

function withoutRootDot(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
}
