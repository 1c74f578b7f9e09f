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
  const phases = matching.map(({ rule }) => phaseOf(rule, subject, subject.at))
  const latest = (Math.floor(subject.at / 1000) + MAXIMUM_OPENS_SECONDS) * 1000
  for (;;) {
    const at = Math.min(...phases.map(({ until }) => until))
    // A switch ends within a second.
    const opens = Math.ceil(at / 1000)
    if (!(opens * 1000 <= latest)) return undefined
    // A rule may have many spans: only those that change are compared again.
    for (const [index, { rule }] of matching.entries()) {
      if (phases[index]?.until === at) phases[index] = phaseOf(rule, subject, at)
    }
    const match = matching.find((_, index) => phases[index]?.applies)
    const isAllowed =
      match === undefined ? policy.default === 'allow' : match.rule.action === 'allow' && match.reason !== 'ambiguous'
    if (isAllowed) return opens
  }
}

/** Whether a rule applies by schedule and switch, and until when that is certain: infinite where nothing changes. */
interface Phase {
  readonly applies: boolean
  /** Milliseconds since the epoch. */
  readonly until: number
}

function phaseOf({ when, switch: name }: Rule, { switches, address }: Subject, at: number): Phase {
  const off = name === undefined ? Infinity : switches.offAt(name, address, at)
  const applies = off !== undefined && (when === undefined || isWithin(when, at))
  return { applies, until: Math.min(off ?? Infinity, when === undefined ? Infinity : nextChange(when, at)) }
}

function isTimed(rule: Rule): boolean {
  return rule.when !== undefined || rule.switch !== undefined
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
