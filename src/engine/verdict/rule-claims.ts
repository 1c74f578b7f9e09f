// The claims of a verdict about its rule (protocol v1, section 1).
import type { VerdictClaims } from '../../contract/verdict.ts'
import type { Override, Rule, WarnOrAupRule } from '../policy/policy.ts'
import { codeFormatOf } from './ack-token.ts'
import { NO_LESSON_CODES } from './lesson-code.ts'

type RuleClaims = Pick<VerdictClaims, 'rule_name' | 'rule_description' | 'rule_descriptions' | 'category'>
type AcknowledgementClaims = Pick<VerdictClaims, 'session_seconds' | 'override'>

/** The protocol's least. */
const LEAST_SESSION_MS = 60_000

export function ruleClaims({
  name,
  description,
  descriptions,
  category,
}: Pick<Rule, 'name' | 'description' | 'descriptions' | 'category'>): RuleClaims {
  return {
    rule_name: name,
    rule_description: description,
    ...(descriptions !== undefined && { rule_descriptions: { ...descriptions } }),
    ...(category !== undefined && { category }),
  }
}

/**
 * Whether a verdict of the rule can be acknowledged now. If no code of a rule is in force, its page offers no way to proceed, as with
 * `acknowledge = false`: a field that no code opens would only cause lockouts.
 * @param at milliseconds since the epoch
 */
export function isAcknowledgeable(rule: Rule, at: number, lessonCodes = NO_LESSON_CODES): boolean {
  if (rule.action !== 'warn' && rule.action !== 'aup') return false
  if (!rule.acknowledge || rule.override === undefined) return rule.acknowledge
  const isInForce = rule.override.codes.some((code) => !isExpired(code, at))
  return isInForce || lessonCodes.inForce(rule.name, codeFormatOf(rule), at).length > 0
}

/**
 * For a verdict that can be acknowledged.
 * @param endsWithin the longest time, in milliseconds, for which a code can open the rule
 */
export function acknowledgementClaims(
  rule: Pick<WarnOrAupRule, 'sessionMs' | 'override'>,
  endsWithin = Infinity,
): AcknowledgementClaims {
  const { sessionMs, override } = rule
  const seconds = Math.floor(Math.min(sessionMs, Math.max(endsWithin, LEAST_SESSION_MS)) / 1000)
  return { session_seconds: seconds, ...(override && { override: overrideClaim(override) }) }
}

export function isExpired({ expires }: Override['codes'][number], at: number): boolean {
  return expires !== undefined && at >= expires
}

function overrideClaim({ type, length, prompt }: Override): NonNullable<VerdictClaims['override']> {
  const label = prompt !== undefined && { prompt }
  return type === 'pin' ? { type, length, ...label } : { type, ...label }
}
