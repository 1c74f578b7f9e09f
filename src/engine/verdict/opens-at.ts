// When a request that is stopped will be allowed, by the schedules of rules and the ends of switches.
import { MAXIMUM_OPENS_SECONDS } from '../../contract/verdict.ts'
import type { MatchReason } from '../policy/conditions.ts'
import { type Match, matchRule, type Policy, type Rule } from '../policy/policy.ts'
import { isWithin, nextChange } from '../policy/schedule/schedule.ts'
import type { Subject } from '../policy/subject.ts'

/**
 * Unix seconds; undefined if the same request is not allowed at any time within 36 hours.
 * @param decided the rule that stops it, or anything else for the default
 */
export function opensAt(
  policy: Pick<Policy, 'rules' | 'default'>,
  decided: object,
  subject: Subject,
): number | undefined {
  const matching = matchingAtSomeTime(policy.rules, decided, subject)
  const latest = (Math.floor(subject.at / 1000) + MAXIMUM_OPENS_SECONDS) * 1000
  for (let at = subject.at; ; ) {
    at = Math.min(...matching.map(({ rule }) => nextChangeOf(rule, subject, at)))
    // A switch ends within a second.
    const opens = Math.ceil(at / 1000)
    if (!(opens * 1000 <= latest)) return undefined
    const match = matching.find(({ rule }) => isInTime(rule, subject, at))
    const isAllowed =
      match === undefined ? policy.default === 'allow' : match.rule.action === 'allow' && match.reason !== 'ambiguous'
    if (isAllowed) return opens
  }
}

function isTimed(rule: Rule): boolean {
  return rule.when !== undefined || rule.switch !== undefined
}

function isInTime({ when, switch: name }: Rule, { switches, address }: Subject, at: number): boolean {
  const isOn = name === undefined || switches.offAt(name, address, at) !== undefined
  return isOn && (when === undefined || isWithin(when, at))
}

/** When the rule may begin or end to match; infinite where nothing changes. */
function nextChangeOf({ when, switch: name }: Rule, { switches, address }: Subject, at: number): number {
  const off = name === undefined ? Infinity : (switches.offAt(name, address, at) ?? Infinity)
  return when === undefined ? off : Math.min(off, nextChange(when, at))
}

/** The rules that match the request now or at another time, until the first one that always does. */
function matchingAtSomeTime(rules: readonly Rule[], decided: object, subject: Subject): readonly Match[] {
  const matching: Match[] = []
  let isBefore = true
  for (const rule of rules) {
    if (rule === decided) isBefore = false
    // Those before it do not match now, and a switch that is off stays off.
    const isOff =
      rule.switch !== undefined && subject.switches.offAt(rule.switch, subject.address, subject.at) === undefined
    if (isOff || (isBefore && !isTimed(rule))) continue
    const reason = rule === decided ? DECIDED : matchRule(isTimed(rule) ? atAnyTime(rule) : rule, subject)
    if (reason !== undefined) matching.push({ rule, reason })
    if (reason !== undefined && !isTimed(rule)) break
  }
  return matching
}

/** That it matches is known, and why makes no difference. */
const DECIDED: MatchReason = { pattern: undefined, entry: undefined }

function atAnyTime(rule: Rule): Rule {
  return { ...rule, tests: rule.tests.filter(({ key }) => key !== 'when' && key !== 'switch') }
}
