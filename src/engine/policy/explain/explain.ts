// Explains the decision about a request: each rule that was tried, and its conditions that did not match.

import type { DecisionRequest } from '../../request/decision-request.ts'
import { matchAny, mismatchesOf } from '../conditions.ts'
import { isPortalName, type Match, matchRule, type Policy, type Rule } from '../policy.ts'
import { Subject } from '../subject.ts'

export interface Explanation {
  /** The host in the form in which rules compare it. */
  readonly host: string
  /** Whether it is one of the portal's names, which are always allowed; then no rule is tried. */
  readonly isPortal: boolean
  /** The rules up to the one that decides. */
  readonly tried: readonly TriedRule[]
  /** What decides; undefined where the default does. `'ambiguous'`: the request is refused, because the rule names a path. */
  readonly decided: Match | undefined
}

interface TriedRule {
  readonly rule: Rule
  /** Everything that does not match, in words; empty for the rule that decides. */
  readonly mismatches: readonly string[]
}

/** @param at milliseconds since the epoch */
export function explain(policy: Policy, request: DecisionRequest, at: number): Explanation {
  const subject = new Subject(request, at)
  const { host } = subject
  if (isPortalName(policy, host)) return { host, isPortal: true, tried: [], decided: undefined }
  const tried: TriedRule[] = []
  for (const rule of policy.rules) {
    const reason = matchRule(rule, subject)
    tried.push({ rule, mismatches: reason === undefined ? mismatchTexts(rule, subject) : [] })
    if (reason !== undefined) return { host, isPortal: false, tried, decided: { rule, reason } }
  }
  return { host, isPortal: false, tried, decided: undefined }
}

function mismatchTexts(rule: Rule, subject: Subject): readonly string[] {
  const isAllowing = rule.action === 'allow'
  const mismatches = mismatchesOf(rule, subject, isAllowing)
  const exception = rule.except && matchAny(rule.except, subject, !isAllowing)
  return typeof exception === 'function' ? [...mismatches, `except: ${exception()}`] : mismatches
}
