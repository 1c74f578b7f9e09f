// When a request that a rule with a schedule stops will be allowed.
import { MAXIMUM_OPENS_SECONDS } from '../../contract/verdict.ts'
import { findRule, type Policy, type Rule } from '../policy/policy.ts'
import { endOf } from '../policy/schedule/schedule.ts'
import { Subject } from '../policy/subject.ts'
import type { DecisionRequest } from '../request/decision-request.ts'

/**
 * Unix seconds; undefined if the rule's schedule does not end within 36 hours, or the same request would then still be stopped.
 * @param at when the rule stops it: milliseconds since the epoch
 */
export function opensAt(
  policy: Pick<Policy, 'rules' | 'default'>,
  { when }: Pick<Rule, 'when'>,
  request: DecisionRequest,
  at: number,
): number | undefined {
  if (when === undefined) return undefined
  const end = endOf(when, at, MAXIMUM_OPENS_SECONDS * 1000)
  if (end === undefined) return undefined
  const match = findRule(policy, new Subject(request, end))
  const isAllowed =
    match === undefined ? policy.default === 'allow' : match.rule.action === 'allow' && match.reason !== 'ambiguous'
  return isAllowed ? Math.floor(end / 1000) : undefined
}
