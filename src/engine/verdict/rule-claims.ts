// The claims of a verdict about its rule (protocol v1, section 1).
import type { VerdictClaims } from '../../contract/verdict.ts'
import type { Override, Rule } from '../policy/policy.ts'

type RuleClaims = Pick<VerdictClaims, 'rule_name' | 'rule_description' | 'rule_descriptions' | 'category'>
type AcknowledgementClaims = Pick<VerdictClaims, 'session_seconds' | 'override'>

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
 * Whether a verdict of the rule can be acknowledged now. If all codes of a rule have expired, its page offers no way to proceed,
 * as with `acknowledge = false`: a field that no code opens would only cause lockouts.
 * @param at milliseconds since the epoch
 */
export function isAcknowledgeable(rule: Rule, at: number): boolean {
  if (rule.action !== 'warn' && rule.action !== 'aup') return false
  return rule.acknowledge && (rule.override === undefined || rule.override.codes.some((code) => !isExpired(code, at)))
}

/** For a verdict that can be acknowledged. */
export function acknowledgementClaims(rule: {
  readonly sessionMs: number
  readonly override: Override | undefined
}): AcknowledgementClaims {
  const { sessionMs, override } = rule
  return { session_seconds: Math.floor(sessionMs / 1000), ...(override && { override: overrideClaim(override) }) }
}

export function isExpired({ expires }: Override['codes'][number], at: number): boolean {
  return expires !== undefined && at >= expires
}

function overrideClaim({ type, codes, prompt }: Override): NonNullable<VerdictClaims['override']> {
  const label = prompt !== undefined && { prompt }
  return type === 'pin' ? { type, length: codes[0]?.code.length ?? 0, ...label } : { type, ...label }
}
