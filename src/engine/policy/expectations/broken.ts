// Which expectations a policy does not meet, and why. Only rules and the default count: no permission, session or switch.
import { quoted } from '../../../settings/shown.ts'
import { sentUrl } from '../../request/target.ts'
import { type Conditions, type MatchReason, matchAll, matchAny } from '../conditions.ts'
import { ruleLabel } from '../explain/rule-label.ts'
import { DEFAULT_RULE_NAME, findRule, missingException, type Policy, type Rule } from '../policy.ts'
import { Subject } from '../subject.ts'
import type { Expectation } from './expectation.ts'

/** What rules and default decide. */
export interface Ruled {
  /** `refuse`: the rule names a path, and the request's is ambiguous. */
  readonly verdict: Expectation['verdict'] | 'refuse'
  /** Undefined for the default, and for the portal's own names. */
  readonly rule: Rule | undefined
  readonly reason: MatchReason | undefined
  readonly isPortal: boolean
}

/** An expectation that a policy does not meet. */
export interface Broken {
  /** Of the same expectation in another version of the file. */
  readonly key: string
  /** A problem: where it is, what must be so, and what is so. */
  readonly text: string
}

type Judging = Pick<Policy, 'rules' | 'default'>

/** @param portalNames canonical */
export function ruledBy(policy: Judging, portalNames: readonly string[], subject: Subject): Ruled {
  if (portalNames.includes(subject.host)) {
    return { verdict: 'allow', rule: undefined, reason: undefined, isPortal: true }
  }
  const match = findRule(policy, subject)
  if (match === undefined) return { verdict: policy.default, rule: undefined, reason: undefined, isPortal: false }
  const { rule, reason } = match
  if (reason === 'ambiguous') return { verdict: 'refuse', rule, reason: undefined, isPortal: false }
  return { verdict: rule.action, rule, reason, isPortal: false }
}

/** At any time where it names none: then no schedule decides about it. */
function subjectOf({ request, at = 0 }: Expectation): Subject {
  return new Subject(request, at)
}

/** Those that this policy does not meet, in the order of the file. */
export function brokenIn(
  policy: Judging & Pick<Policy, 'expectations'>,
  portalNames: readonly string[],
): readonly Broken[] {
  return policy.expectations.flatMap((expectation) => {
    const text = faultOf(expectation, policy, portalNames)
    return text === undefined ? [] : [{ key: keyOf(expectation), text }]
  })
}

/** The same for the same expectation in each version of the file, wherever it is there. */
export function keyOf({ request, client, at, verdict, rule }: Expectation): string {
  return JSON.stringify([sentUrl(request), request.user, client, at, verdict, rule])
}

/** Why the policy does not meet it, as a problem; undefined where it does. */
export function faultOf(expectation: Expectation, policy: Judging, portalNames: readonly string[]): string | undefined {
  const { place, at, verdict, rule } = expectation
  const subject = subjectOf(expectation)
  const url = quoted(sentUrl(expectation.request))
  if (at === undefined && !portalNames.includes(subject.host)) {
    const scheduled = ruleThatDependsOn(policy, subject, ['when'])
    if (scheduled !== undefined) {
      return `${place}.at must be set: the schedule of ${ruleLabel(scheduled)} can decide about ${url}; it is now unset`
    }
  }
  const ruled = ruledBy(policy, portalNames, subject)
  const name = ruled.isPortal ? undefined : (ruled.rule?.name ?? DEFAULT_RULE_NAME)
  if (ruled.verdict === verdict && (rule === undefined || rule === name)) return undefined
  const wanted = rule === undefined ? '' : ` by ${wantedText(rule, policy)}`
  return `${place}: ${url} must be ${VERDICT_TEXTS[verdict]}${wanted}; it is now ${describeRuled(ruled)}`
}

function wantedText(rule: string, { rules }: Judging): string {
  if (rule === DEFAULT_RULE_NAME) return 'the default'
  return `the rule "${rule}"${rules.some(({ name }) => name === rule) ? '' : ', which does not exist'}`
}

const VERDICT_TEXTS = {
  allow: 'allowed',
  block: 'blocked',
  warn: 'stopped with a warning',
  aup: 'stopped until a policy is accepted',
  refuse: 'refused with HTTP 400, because servers may read its path in several ways,',
}

/** `blocked by line 12, the rule "adult", by the entry "x.example" of the list "adult"` */
function describeRuled({ verdict, rule, reason, isPortal }: Ruled): string {
  if (isPortal) return `${VERDICT_TEXTS[verdict]} as one of the portal's own names`
  const who = rule === undefined ? 'the default' : ruleLabel(rule)
  const { pattern, entry } = reason ?? {}
  const matched =
    entry !== undefined
      ? `, by the entry "${entry.entry}" of the list "${entry.list}"`
      : pattern === undefined
        ? ''
        : `, by its pattern "${pattern}"`
  return `${VERDICT_TEXTS[verdict]} by ${who}${matched}`
}

type Key = Conditions['tests'][number]['key']

/**
 * The first rule that decides, or would decide, by what it names under these keys: everything else that it names matches.
 * Undefined where the same rule, or the default, decides whatever these keys are compared with.
 */
export function ruleThatDependsOn(policy: Judging, subject: Subject, keys: readonly Key[]): Rule | undefined {
  const without = ({ tests }: Pick<Conditions, 'tests'>) => ({ tests: tests.filter(({ key }) => !keys.includes(key)) })
  const names = (conditions: Pick<Conditions, 'tests'> | undefined) =>
    conditions?.tests.some(({ key }) => keys.includes(key)) ?? false
  for (const rule of policy.rules) {
    const isAllowing = rule.action === 'allow'
    // While a list of its exceptions is missing, the rule matches nothing.
    if (missingException(rule) !== undefined) continue
    if (matchAll(without(rule), subject, isAllowing) === undefined) continue
    const exception = rule.except && matchAny(without(rule.except), subject, !isAllowing)
    if (typeof exception === 'function') continue
    return names(rule) || names(rule.except) ? rule : undefined
  }
  return undefined
}
