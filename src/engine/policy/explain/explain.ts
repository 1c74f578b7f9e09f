// Explains the decision about a request: each rule that was tried, and its conditions that did not match.

import { findPattern, type HostPatterns } from '../../../network/host-pattern.ts'
import { sentPathOf } from '../../../network/url-path.ts'
import type { DecisionRequest } from '../../request/decision-request.ts'
import {
  type Conditions,
  isExcepted,
  matchesUser,
  matchingEntry,
  matchingGroup,
  matchingRange,
  Subject,
} from '../conditions.ts'
import { isPortalName, type MatchReason, matchRule, type Policy, type Rule } from '../policy.ts'
import { isWithin, localTimeText, scheduleText } from '../schedule/schedule.ts'

export interface Explanation {
  /** The host in the form in which rules compare it. */
  readonly host: string
  /** Whether it is one of the portal's names, which are always allowed; then no rule is tried. */
  readonly isPortal: boolean
  /** The rules up to the one that decides. */
  readonly tried: readonly TriedRule[]
  /** What decides; undefined where the default does. `'ambiguous'`: the request is refused, because the rule names a path. */
  readonly decided: { readonly rule: Rule; readonly reason: MatchReason | 'ambiguous' } | undefined
}

/** Of the ways in which servers may read a path. */
const MAXIMUM_READINGS = 3

interface TriedRule {
  readonly rule: Rule
  /** Everything that does not match, in words; empty for the rule that decides. */
  readonly mismatches: readonly string[]
}

/** @param at milliseconds since the epoch */
export function explain(policy: Policy, request: DecisionRequest, at: number): Explanation {
  const subject = new Subject(request)
  const { host } = subject
  if (isPortalName(policy, host)) return { host, isPortal: true, tried: [], decided: undefined }
  const tried: TriedRule[] = []
  for (const rule of policy.rules) {
    const reason = matchRule(rule, subject, at)
    tried.push({ rule, mismatches: reason === undefined ? mismatchesOf(rule, subject, at) : [] })
    if (reason !== undefined) return { host, isPortal: false, tried, decided: { rule, reason } }
  }
  return { host, isPortal: false, tried, decided: undefined }
}

function mismatchesOf(rule: Rule, subject: Subject, at: number): readonly string[] {
  const { when, clients, users, groups, match, lists, except } = rule
  const { client, user } = subject.request
  const isAllowing = rule.action === 'allow'
  const who = user === undefined ? 'the proxy names no user' : `the user is "${user}"`
  const mismatches: string[] = []
  if (when !== undefined && !isWithin(when, at)) {
    mismatches.push(`when: ${scheduleText(when)}; it is ${localTimeText(when, at)} there${holidayText(when, at)}`)
  }
  if (clients !== undefined && matchingRange(clients, subject) === undefined) {
    mismatches.push(`clients: none of them contains ${client.address}`)
  }
  if (users !== undefined && !matchesUser(users, subject)) mismatches.push(`users: ${who}`)
  if (groups !== undefined && matchingGroup(groups, subject) === undefined) {
    mismatches.push(`groups: ${who}${user === undefined ? '' : `, in none of ${namesOf(groups)}`}`)
  }
  if (match !== undefined && findPattern(match, subject, isAllowing) === undefined) {
    mismatches.push(`match: no pattern covers ${subject.host}${pathText(match, subject)}`)
  }
  if (lists !== undefined && matchingEntry(lists, subject) === undefined) {
    mismatches.push(`lists: ${subject.host} is in none of ${namesOf(lists)}`)
  }
  if (except !== undefined && isExcepted(except, subject, !isAllowing) === true) {
    mismatches.push(`except: ${exceptionText(except, subject, !isAllowing)}`)
  }
  return mismatches
}

function holidayText(when: NonNullable<Rule['when']>, at: number): string {
  return isWithin({ ...when, notOn: new Set() }, at) ? ', a date of not_on' : ''
}

/** The path, where a pattern names one on this host. */
function pathText(match: HostPatterns, { suffixes, path, request }: Subject): string {
  const isNamed = [...suffixes, ''].some((host) =>
    match.byHost.get(host)?.some((pattern) => pattern.path !== undefined),
  )
  if (!isNamed) return ''
  const others = path === 'ambiguous' ? [] : path.all.slice(1, 1 + MAXIMUM_READINGS).map(asText)
  const also = others.length === 0 ? '' : `, also read as ${others.join(' or ')}`
  return ` with the path ${sentPathOf(request.target)}${also}`
}

function asText(reading: string): string {
  return Buffer.from(reading, 'latin1').toString()
}

function exceptionText(except: Conditions, subject: Subject, strict: boolean): string {
  const range = except.clients && matchingRange(except.clients, subject)
  if (range !== undefined) return `the client is in "${range.text}"`
  if (except.users !== undefined && matchesUser(except.users, subject)) return `the user is "${subject.request.user}"`
  const group = except.groups && matchingGroup(except.groups, subject)
  if (group !== undefined) return `the user is in the group "${group.name}"`
  const pattern = except.match && findPattern(except.match, subject, strict)
  if (pattern !== undefined && pattern !== 'ambiguous') return `"${pattern.text}" covers the request`
  const entry = except.lists && matchingEntry(except.lists, subject)
  return `"${entry?.entry}" is in the list "${entry?.list}"`
}

function namesOf(named: readonly { readonly name: string }[]): string {
  return named.map(({ name }) => `"${name}"`).join(', ')
}
