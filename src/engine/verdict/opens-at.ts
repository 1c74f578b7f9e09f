// When a request that is stopped will be allowed, by the schedules of rules and the ends of switches.
import { MAXIMUM_OPENS_SECONDS } from '../../contract/verdict.ts'
import { type Match, matchRule, type Policy, type Rule } from '../policy/policy.ts'
import { isWithin, nextChange } from '../policy/schedule/schedule.ts'
import { Subject } from '../policy/subject.ts'
import type { DecisionRequest } from '../request/decision-request.ts'

/**
 * Unix seconds; undefined if the same request is not allowed at any time within 36 hours.
 * @param decided the rule that stops it, or anything else for the default
 * @param at when that stops it: milliseconds since the epoch
 */
export function opensAt(
  policy: Pick<Policy, 'rules' | 'default'>,
  decided: object,
  request: DecisionRequest,
  at: number,
): number | undefined {
  const matching = matchingAtSomeTime(policy.rules, decided, new Subject(request, at))
  const timed = matching.flatMap(({ rule }) => rule.when ?? [])
  for (let next = at; timed.length > 0; ) {
    next = nextChange(timed, next)
    if (next > at + MAXIMUM_OPENS_SECONDS * 1000) return undefined
    const match = matching.find(({ rule }) => rule.when === undefined || isWithin(rule.when, next))
    const isAllowed =
      match === undefined ? policy.default === 'allow' : match.rule.action === 'allow' && match.reason !== 'ambiguous'
    if (isAllowed) return Math.floor(next / 1000)
  }
  return undefined
}

/** The rules that match the request now or at another time, until the first one that always does. */
function matchingAtSomeTime(rules: readonly Rule[], decided: object, subject: Subject): readonly Match[] {
  const matching: Match[] = []
  let isBefore = true
  for (const rule of rules) {
    if (rule === decided) isBefore = false
    const isTimed = rule.when !== undefined
    // Those before it do not match now.
    if (isBefore && !isTimed) continue
    const reason = matchRule(isTimed ? atAnyTime(rule) : rule, subject)
    if (reason !== undefined) matching.push({ rule, reason })
    if (reason !== undefined && !isTimed) break
  }
  return matching
}

function atAnyTime(rule: Rule): Rule {
  return { ...rule, tests: rule.tests.filter(({ key }) => key !== 'when') }
}
