// The lines of the policy file that would change how a request is decided, as text to paste.
import { stringify } from 'smol-toml'
import { isAddress } from '../../../network/host.ts'
import { DEFAULT_RULE_NAME, findRule, isLocked, type Policy, type Rule } from '../policy.ts'
import type { Subject } from '../subject.ts'
import { ruleLabel } from './rule-label.ts'

export interface PolicyLines {
  /** Where they belong: `above line 42, the rule "gambling"`. */
  readonly place: string
  /** The line of the file above which they belong; undefined for the end of the file, inside a line, or where it is not known. */
  readonly aboveLine: number | undefined
  /** Ends with a line feed. */
  readonly toml: string
}

/**
 * For a request that was stopped, a rule that allows its host, unless the rule that stopped it is locked, and, where that suffices,
 * an exception of that rule; for one that was allowed, a rule that blocks its host. None for an ambiguous path.
 */
export function linesThatChange(policy: Policy, subject: Subject): readonly PolicyLines[] {
  const { host } = subject
  const decided = findRule(policy, subject)
  if (decided?.reason === 'ambiguous') return []
  const isAllowed = (decided?.rule.action ?? policy.default) === 'allow'
  const place = {
    place: decided === undefined ? 'at the end of the file' : `above ${ruleLabel(decided.rule)}`,
    aboveLine: decided?.rule.line,
  }
  const action = isAllowed ? 'block' : 'allow'
  const rule = {
    name: freeName(`${action}-${host}`, policy.rules),
    match: [isAllowed && !isAddress(host) ? `.${host}` : host],
    action,
  }
  const newRule = { ...place, toml: `[[rules]]\n${stringify(rule)}\n` }
  if (isAllowed || decided === undefined) return [newRule]
  const others = policy.rules.filter((one) => one !== decided.rule)
  const next = findRule({ rules: others }, subject)
  const isNextAllowing = next?.reason !== 'ambiguous' && (next?.rule.action ?? policy.default) === 'allow'
  const exceptions = isNextAllowing ? [exception(decided.rule, host)] : []
  return isLocked(decided.rule) ? exceptions : [newRule, ...exceptions]
}

function exception(rule: Rule, host: string): PolicyLines {
  const patterns = [...(rule.except?.match?.byHost.values() ?? [])].flat().map(({ text }) => text)
  const match = JSON.stringify([...patterns, host])
  const exists = rule.except !== undefined
  return {
    place: exists ? `in the except of ${ruleLabel(rule)}, instead of its match` : `in ${ruleLabel(rule)}`,
    aboveLine: rule.line === undefined || exists ? undefined : rule.line + 1,
    toml: exists ? `match = ${match}\n` : `except = { match = ${match} }\n`,
  }
}

function freeName(wanted: string, rules: readonly Rule[]): string {
  const taken = new Set([DEFAULT_RULE_NAME, ...rules.map(({ name }) => name)])
  // With a suffix it must not exceed 128 bytes.
  const short = wanted.slice(0, 120)
  for (let number = 1; ; number++) {
    const name = number === 1 ? short : `${short}-${number}`
    if (!taken.has(name)) return name
  }
}
