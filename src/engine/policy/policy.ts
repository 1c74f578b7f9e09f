// The policy: rules in the order in which they are tried, and the rule that decides about a request.
import type { AddressRange } from '../../network/address-range.ts'
import type { Inspection } from '../proxy-settings/inspection.ts'
import { type Conditions, type MatchReason, matchAll, matchAny } from './conditions.ts'
import type { Expectation } from './expectations/expectation.ts'
import type { Group } from './group.ts'
import type { DomainList } from './lists/domain-list.ts'
import type { Room } from './room.ts'
import type { Subject } from './subject.ts'

/** A policy is valid until a reload replaces it: afterwards its lists can no longer be searched. */
export interface Policy {
  /** How long a verdict can be acknowledged, in milliseconds. */
  readonly acknowledgementMs: number
  /** In the order in which they are tried: the locked ones first. The first rule that matches decides. */
  readonly rules: readonly Rule[]
  /** What happens to a request that no rule matches. */
  readonly default: 'allow' | 'block'
  readonly lists: readonly DomainList[]
  readonly groups: readonly Group[]
  readonly rooms: readonly Room[]
  /** Domains and realms that are removed from users' names; see `parseUser`. */
  readonly affixes: readonly string[]
  readonly inspection: Inspection
  /** Addresses that nobody may reach through the proxy. */
  readonly internal: readonly AddressRange[]
  /** What the rules must decide. */
  readonly expectations: readonly Expectation[]
  /** Changes with the content of the policy and of its files; 22 characters of base64url. */
  readonly revision: string
}

export type Rule = AllowRule | BlockRule | WarnOrAupRule

/** The name that blocks of the default carry; no rule can have it. */
export const DEFAULT_RULE_NAME = 'default'

interface CommonRule extends Conditions {
  /** Unique within the policy. */
  readonly name: string
  readonly description: string
  /** The description in other languages, by locale tag. */
  readonly descriptions: Readonly<Record<string, string>> | undefined
  readonly category: string | undefined
  readonly except: Conditions | undefined
  /** Where the rule begins in the file; undefined where that is not known. */
  readonly line: number | undefined
}

interface AllowRule extends CommonRule {
  readonly action: 'allow'
}

export interface BlockRule extends CommonRule {
  readonly action: 'block'
  /** Whether nothing opens what it stops: no permission, and no rule before it. */
  readonly locked: boolean
}

export interface WarnOrAupRule extends CommonRule {
  readonly action: 'warn' | 'aup'
  /** False where the visitor cannot proceed. */
  readonly acknowledge: boolean
  /** How long a session lasts after an acknowledgement, in milliseconds. */
  readonly sessionMs: number
  readonly override: Override | undefined
}

/** The codes of which a rule requires one with the acknowledgement, and how often they may be guessed. */
export interface Override {
  readonly type: 'pin' | 'passphrase'
  /** PINs of one length. None where only lesson codes open the rule. */
  readonly codes: readonly OverrideCode[]
  /** Of PINs; of passphrases, that of lesson codes. In characters. */
  readonly length: number
  readonly prompt: string | undefined
  /** Number of wrong codes that starts a lockout. */
  readonly attempts: number
  readonly lockoutMs: number
}

interface OverrideCode {
  readonly code: string
  /** Milliseconds since the epoch; undefined for one that does not expire. */
  readonly expires: number | undefined
}

export function isLocked(rule: Rule): boolean {
  return rule.action === 'block' && rule.locked
}

/** In the order in which they are tried. @param rules as in the file */
export function inOrder(rules: readonly Rule[]): readonly Rule[] {
  return [...rules.filter(isLocked), ...rules.filter((rule) => !isLocked(rule))]
}

/** The rule that decides about a request, and why; `'ambiguous'` if that depends on an ambiguous path. */
export interface Match {
  readonly rule: Rule
  readonly reason: MatchReason | 'ambiguous'
}

/** @returns undefined where the default decides */
export function findRule({ rules }: Pick<Policy, 'rules'>, subject: Subject): Match | undefined {
  for (const rule of rules) {
    const reason = matchRule(rule, subject)
    if (reason !== undefined) return { rule, reason }
  }
  return undefined
}

/** Why the rule matches; undefined if it does not. `'ambiguous'` if that depends on an ambiguous path. */
export function matchRule(rule: Rule, subject: Subject): MatchReason | 'ambiguous' | undefined {
  const isAllowing = rule.action === 'allow'
  const reason = matchAll(rule, subject, isAllowing)
  if (reason === undefined || rule.except === undefined) return reason
  if (missingException(rule) !== undefined) return undefined
  const exception = matchAny(rule.except, subject, !isAllowing)
  if (exception === undefined) return reason
  return exception === 'ambiguous' ? exception : undefined
}

/** The list of a rule's exceptions that has no content of its file: while what it excepts is unknown, the rule allows nothing. */
export function missingException({ action, except }: Pick<Rule, 'action' | 'except'>): DomainList | undefined {
  if (action !== 'allow') return undefined
  return except?.lists?.find(({ fallback }) => fallback !== undefined && fallback.kind !== 'kept')
}
