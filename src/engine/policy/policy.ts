// The policy: rules in the order in which they are tried, and the rule that decides about a request.
import type { Keyring } from '../../contract/secret.ts'
import type { AddressRange } from '../../network/address-range.ts'
import { findPattern } from '../../network/host-pattern.ts'
import type { Inspection } from '../proxy-settings/inspection.ts'
import type { DecisionRequest } from '../request/decision-request.ts'
import {
  type Conditions,
  isExcepted,
  type ListEntry,
  matchesUser,
  matchingEntry,
  matchingGroup,
  matchingRange,
  Subject,
} from './conditions.ts'
import type { Group } from './group.ts'
import type { DomainList } from './lists/domain-list.ts'
import { isWithin, type Schedule } from './schedule/schedule.ts'

/** A policy is valid until a reload replaces it: afterwards its lists can no longer be searched. */
export interface Policy {
  /** The portal's public address, an origin without a slash at its end. */
  readonly baseUrl: string
  /** Names and addresses of the portal, that of the base URL first; canonical. */
  readonly portalNames: readonly string[]
  readonly keyring: Keyring
  /** How long a verdict can be acknowledged, in milliseconds. */
  readonly acknowledgementMs: number
  /** The first rule that matches decides. */
  readonly rules: readonly Rule[]
  /** What happens to a request that no rule matches. */
  readonly default: 'allow' | 'block'
  readonly lists: readonly DomainList[]
  readonly groups: readonly Group[]
  /** Domains and realms that are removed from users' names; see `parseUser`. */
  readonly affixes: readonly string[]
  readonly inspection: Inspection
  /** Addresses that nobody may reach through the proxy. */
  readonly internal: readonly AddressRange[]
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
  readonly when: Schedule | undefined
  readonly except: Conditions | undefined
  /** Where the rule begins in the file; undefined where that is not known. */
  readonly line: number | undefined
}

interface AllowRule extends CommonRule {
  readonly action: 'allow'
}

export interface BlockRule extends CommonRule {
  readonly action: 'block'
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
  /** At least one. PINs of one length. */
  readonly codes: readonly OverrideCode[]
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

/** The rule that decides about a request; undefined where the default does. */
export type RuleMatch =
  | { readonly rule: Rule; readonly reason: MatchReason | 'ambiguous' }
  | { readonly rule: undefined; readonly reason: undefined }

/** Which of the hosts that the rule names covers the request's. */
export interface MatchReason {
  /** As written in `match`. */
  readonly pattern: string | undefined
  readonly entry: ListEntry | undefined
}

/** @param at milliseconds since the epoch */
export function findRule({ rules }: Policy, request: DecisionRequest, at: number): RuleMatch {
  const subject = new Subject(request)
  for (const rule of rules) {
    const reason = matchRule(rule, subject, at)
    if (reason !== undefined) return { rule, reason }
  }
  return { rule: undefined, reason: undefined }
}

/** Whether it is one of the portal's own names, to which no rule applies: redirecting the portal to the portal is a loop. */
export function isPortalName({ portalNames }: Policy, host: string): boolean {
  return portalNames.includes(host)
}

/**
 * Why the rule matches; undefined if it does not. A rule matches when all of its conditions do. `'ambiguous'` if that depends
 * on an ambiguous path.
 */
export function matchRule(rule: Rule, subject: Subject, at: number): MatchReason | 'ambiguous' | undefined {
  const { when, clients, users, groups, match, lists, except } = rule
  if (when !== undefined && !isWithin(when, at)) return undefined
  if (clients !== undefined && matchingRange(clients, subject) === undefined) return undefined
  if (users !== undefined && !matchesUser(users, subject)) return undefined
  if (groups !== undefined && matchingGroup(groups, subject) === undefined) return undefined
  const isAllowing = rule.action === 'allow'
  const pattern = match && findPattern(match, subject, isAllowing)
  if (match !== undefined && pattern === undefined) return undefined
  const entry = lists && matchingEntry(lists, subject)
  if (lists !== undefined && entry === undefined) return undefined
  const excepted = except !== undefined && isExcepted(except, subject, !isAllowing)
  if (excepted === true) return undefined
  if (pattern === 'ambiguous' || excepted === 'ambiguous') return 'ambiguous'
  return { pattern: pattern?.text, entry }
}
