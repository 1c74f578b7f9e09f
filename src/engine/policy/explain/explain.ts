// Explains the decision about a request: each rule that was tried, and its conditions that did not match.

import { matchAny, mismatchesOf } from '../conditions.ts'
import { type Match, matchRule, missingException, type Policy, type Rule } from '../policy.ts'
import type { Subject } from '../subject.ts'

export interface Explanation {
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

export function explain({ rules }: Pick<Policy, 'rules'>, subject: Subject): Explanation {
  const tried: TriedRule[] = []
  for (const rule of rules) {
    const reason = matchRule(rule, subject)
    tried.push({ rule, mismatches: reason === undefined ? mismatchTexts(rule, subject) : [] })
    if (reason !== undefined) return { tried, decided: { rule, reason } }
  }
  return { tried, decided: undefined }
}

function mismatchTexts(rule: Rule, subject: Subject): readonly string[] {
  const isAllowing = rule.action === 'allow'
  const mismatches = mismatchesOf(rule, subject, isAllowing)
  const missing = missingException(rule)
  if (missing !== undefined) return [...mismatches, `except: the list "${missing.name}" is missing`]
  const exception = rule.except && matchAny(rule.except, subject, !isAllowing)
  return typeof exception === 'function' ? [...mismatches, `except: ${exception()}`] : mismatches
}
