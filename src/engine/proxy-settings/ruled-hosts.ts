// Which hosts are ruled: those for which the policy may answer some request with anything but "allow". Requests for other hosts
// need no decision. Where in doubt a host is ruled: clients, users, schedules and exceptions make none unruled.
import { isAddress } from '../../network/host.ts'
import { findPattern, type HostPattern, type HostPatterns, indexPatterns } from '../../network/host-pattern.ts'
import { hostEntry } from '../policy/conditions.ts'
import { type DomainList, findUrlHost, type ListEntry } from '../policy/lists/domain-list.ts'
import type { Policy, Rule } from '../policy/policy.ts'
import { HostSubject } from '../policy/subject.ts'

/** What makes a host ruled. */
export type Ruling =
  /** `[audit] allowed`: each allowed request gets a line. */
  | { readonly by: 'audit' }
  /** `default = "block"`. */
  | { readonly by: 'default' }
  /** The host is an address, and this rule names a network. */
  | { readonly by: 'network'; readonly rule: Rule }
  /** The rule may not allow a request. Without pattern and entry, it names no hosts; then it is about every one. */
  | {
      readonly by: 'rule'
      readonly rule: Rule
      /** As written in `match`, or in the exceptions of an "allow" rule. */
      readonly pattern: string | undefined
      readonly entry: ListEntry | undefined
    }

export interface RuledHosts {
  /** What makes every host ruled; undefined where only some are. */
  readonly every: Ruling | undefined
  /** What makes this host ruled; undefined where every decision about it is "allow". @param host canonical */
  find(host: string): Ruling | undefined
}

type Judged = Pick<Policy, 'rules' | 'default'>

/** The hosts for which a rule may do anything but allow; each member is undefined where it makes no difference. */
interface Scope {
  readonly rule: Rule
  readonly match: HostPatterns | undefined
  readonly lists: readonly DomainList[] | undefined
  /** Whether only URLs of the lists count, not their names. */
  readonly isAboutPaths: boolean
}

/** By the policy in force; what does not depend on the host is computed once for each policy. */
export function createRuledHosts(
  policies: { readonly current: Judged },
  audit: { readonly allowed: boolean },
): RuledHosts {
  let prepared = prepare(policies.current, audit.allowed)

  function current(): Prepared {
    if (prepared.policy !== policies.current) prepared = prepare(policies.current, audit.allowed)
    return prepared
  }

  return {
    get every() {
      return current().every
    },
    find(host) {
      const { every, network, scopes } = current()
      if (every !== undefined) return every
      if (network !== undefined && isAddress(host)) return { by: 'network', rule: network }
      const subject = new HostSubject(host)
      for (const scope of scopes) {
        const ruling = rulingOf(scope, subject)
        if (ruling !== undefined) return ruling
      }
      return undefined
    },
  }
}

interface Prepared {
  readonly policy: Judged
  readonly every: Ruling | undefined
  /** The first rule that names a network. */
  readonly network: Rule | undefined
  readonly scopes: readonly Scope[]
}

function prepare(policy: Judged, isAudited: boolean): Prepared {
  const scopes = policy.rules.flatMap(scopeOf)
  const network = policy.rules.find(({ match, except }) => hasNetwork(match) || hasNetwork(except?.match))
  return { policy, every: everyHost(policy, scopes, isAudited), network, scopes }
}

function everyHost({ default: otherwise }: Judged, scopes: readonly Scope[], isAudited: boolean): Ruling | undefined {
  if (isAudited) return { by: 'audit' }
  if (otherwise !== 'allow') return { by: 'default' }
  const nameless = scopes.find(
    ({ match, lists }) => lists === undefined && (match === undefined || match.byHost.has('')),
  )
  if (nameless === undefined) return undefined
  const pattern = nameless.match?.byHost.get('')?.[0]?.text
  return { by: 'rule', rule: nameless.rule, pattern, entry: undefined }
}

/** An "allow" rule refuses a path that it would have to compare and cannot. */
function scopeOf(rule: Rule): readonly Scope[] {
  const { action, match, lists, except } = rule
  if (action !== 'allow') return [{ rule, match, lists, isAboutPaths: false }]
  const withPath = [match, except?.match].flatMap(patternsOf).filter(({ path }) => path !== undefined)
  const withUrls = [...(lists ?? []), ...(except?.lists ?? [])].filter(({ table }) => table.counts.urls > 0)
  const scope = { rule, isAboutPaths: true }
  return [
    ...(withPath.length === 0 ? [] : [{ ...scope, match: indexPatterns(withPath), lists: undefined }]),
    ...(withUrls.length === 0 ? [] : [{ ...scope, match: undefined, lists: withUrls }]),
  ]
}

function hasNetwork(match: HostPatterns | undefined): boolean {
  return match !== undefined && match.networks.length > 0
}

function patternsOf(match: HostPatterns | undefined): readonly HostPattern[] {
  return match === undefined ? [] : [...match.byHost.values()].flat()
}

function rulingOf({ rule, match, lists, isAboutPaths }: Scope, subject: HostSubject): Ruling | undefined {
  // Of a path that cannot be compared, the result is what the hosts alone decide.
  const { suffixes } = subject
  const pattern = match && findPattern(match, { suffixes, path: 'ambiguous' }, false)
  if (match !== undefined && pattern === undefined) return undefined
  const entry = lists && (isAboutPaths ? urlEntry(lists, subject) : hostEntry(lists, subject))
  if (lists !== undefined && entry === undefined) return undefined
  const text = pattern === 'ambiguous' ? patternWithPath(match, subject) : pattern?.text
  return { by: 'rule', rule, pattern: text, entry }
}

function urlEntry(lists: readonly DomainList[], { suffixes, hashes }: HostSubject): ListEntry | undefined {
  for (const list of lists) {
    const entry = findUrlHost(list, suffixes, hashes)
    if (entry !== undefined) return { list: list.name, entry }
  }
  return undefined
}

/** The text of a pattern with a path on this host. */
function patternWithPath(match: HostPatterns | undefined, { host, suffixes }: HostSubject): string | undefined {
  return ['', ...suffixes]
    .toReversed()
    .flatMap((suffix) => match?.byHost.get(suffix) ?? [])
    .find((one) => one.path !== undefined && (one.host === host ? one.itself : one.below))?.text
}
