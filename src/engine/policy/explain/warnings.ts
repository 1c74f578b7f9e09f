// Warnings about what a policy may contain but was probably not intended.
import { type AddressRange, containsRange } from '../../../network/address-range.ts'
import { isAddress, suffixesOf } from '../../../network/host.ts'
import { type HostPattern, hasPort, overlap, parseHostPattern } from '../../../network/host-pattern.ts'
import { isAcknowledgeable, isExpired } from '../../verdict/rule-claims.ts'
import type { Conditions } from '../conditions.ts'
import { findEntry, hashHost } from '../lists/domain-list.ts'
import type { Policy, Rule } from '../policy.ts'
import { ruleLabel } from './rule-label.ts'

/**
 * A line for each, worded like problems. Lists are searched for the hosts that are exempt from inspection, but not for hosts
 * below them.
 * @param portalNames canonical
 * @param at milliseconds since the epoch
 */
export function warningsOf(policy: Policy, portalNames: readonly string[], at: number): readonly string[] {
  const { rules, lists, groups } = policy
  return [
    ...rules.flatMap((rule) => [
      ...hostWarnings(rule, portalNames),
      ...certificateWarnings(rule),
      ...exemptionWarnings(rule, policy),
      ...codeWarnings(rule, at),
    ]),
    ...unreached(rules),
    ...unnamed(lists, rules, 'lists'),
    ...unnamed(groups, rules, 'groups'),
    ...blockedByDefault(policy),
    ...ineffective(policy),
  ]
}

/** What a pattern does not do, although it could be taken to. */
function hostWarnings(rule: Rule, portalNames: readonly string[]): readonly string[] {
  const patterns = [...patternsOf(rule), ...patternsOf(rule.except ?? {})]
  const networks = patterns.filter(({ network }) => network !== undefined)
  const withPort = patterns.filter(({ text }) => hasPort(text))
  const portal = patterns.filter((one) => one.itself && !one.below && portalNames.includes(one.host))
  const warnings: string[] = []
  if (networks.length > 0) {
    warnings.push(
      `${label(rule)} names ${some(networks)}: this matches hosts that are written as addresses, because the engine resolves no names`,
    )
  }
  if (withPort.length > 0) warnings.push(`${label(rule)} names ${some(withPort)}: all ports are meant`)
  if (portal.length > 0) {
    warnings.push(`${label(rule)} names ${some(portal)}, which is the portal's name: it is always allowed`)
  }
  return warnings
}

/** Of a certificate's common name, in which Squid puts `*.` instead of the first label where the whole host is too long. */
const LONGEST_PARENT = 61

/** The page of these rules offers to proceed; a visitor who gets a certificate error never sees it. */
function certificateWarnings(rule: Rule): readonly string[] {
  if (rule.action !== 'warn' && rule.action !== 'aup') return []
  const patterns = patternsOf(rule)
  const addresses = patterns.filter(({ network, host }) => network !== undefined || isAddress(host))
  const long = patterns.filter((one) => !addresses.includes(one) && isTooLongForCertificate(one))
  const covered = [
    ...(addresses.length > 0 ? [`${some(addresses)}, by address`] : []),
    ...(long.length > 0 ? [`${some(long)}, with ${LONGEST_PARENT + 1} or more characters after the first label`] : []),
  ]
  return covered.map(
    (hosts) =>
      `${label(rule)} covers ${hosts}: over https, browsers may accept no certificate that Squid issues for that, and visitors see an error instead of the page`,
  )
}

function isTooLongForCertificate({ host, itself, below }: HostPattern): boolean {
  const parent = host.slice(host.indexOf('.') + 1)
  return (itself && parent.length > LONGEST_PARENT) || (below && host.length > LONGEST_PARENT)
}

/** The proxy does not decrypt these: over https it can show no page, and it sees no path. */
function exemptionWarnings(rule: Rule, { inspection }: Policy): readonly string[] {
  const { exempt, exemptDefaults, exemptClients } = inspection
  // A rule about everything is not about the hosts that we ship.
  const covered = [
    ...exempt.filter((host) => covers(rule, host)),
    ...exemptDefaults.filter((host) => isAimedAt(rule, host)),
  ].filter((host) => !(rule.except && coversAll(rule.except, host)))
  const withPath = patternsOf(rule).filter(({ path }) => path !== undefined)
  const onPath = covered.filter((host) => withPath.some((one) => overlap(one, host)))
  const isExempt = (range: AddressRange) => exemptClients.some((outer) => containsRange(outer, range))
  const clients = [
    ...(rule.clients ?? []).filter(isExempt),
    ...(rule.rooms ?? []).flatMap(({ name, networks }) => (networks.every(isExempt) ? [{ text: name }] : [])),
  ]
  const warnings: string[] = []
  if (rule.action === 'warn' || rule.action === 'aup') {
    const page = rule.action === 'warn' ? 'a warning' : 'the policy to accept'
    if (covered.length > 0) {
      warnings.push(
        `${label(rule)} covers ${some(covered)}, exempt from inspection: over https no visitor sees ${page}`,
      )
    }
    if (clients.length > 0) {
      warnings.push(`${label(rule)} names ${some(clients)}, exempt from inspection: over https they do not see ${page}`)
    }
  }
  if (onPath.length > 0) {
    warnings.push(`${label(rule)} names a path on ${some(onPath)}, exempt from inspection: over https no path is seen`)
  }
  if (withPath.length > 0 && clients.length > 0) {
    warnings.push(
      `${label(rule)} names a path for ${some(clients)}, exempt from inspection: over https no path is seen`,
    )
  }
  return warnings
}

/** An exemption from inspection is not a permission. Programs whose updates are stopped show no page that explains it. */
function blockedByDefault({ default: otherwise, inspection, rules }: Policy): readonly string[] {
  if (otherwise === 'allow') return []
  const isOpen = (host: HostPattern) => rules.some((rule) => covers(rule, host))
  const stopped = inspection.exempt.filter((host) => !isOpen(host))
  if (stopped.length === 0) return []
  return [`inspection.exempt: no rule is about ${some(stopped)}, so the default blocks it: over https without a page`]
}

/** Settings that the proxy can apply to decrypted requests only. */
function ineffective({ inspection }: Policy): readonly string[] {
  const { exempt, exemptDefaults, youtube, tenants } = inspection
  const own = (hosts: readonly HostPattern[]) => exempt.filter((host) => hosts.some((one) => overlap(one, host)))
  const warnings = tenants.flatMap(({ hosts, header }, index) => {
    const missed = [...own(hosts), ...exemptDefaults.filter((host) => hosts.some((one) => isAtOrBelow(one, host)))]
    if (missed.length === 0) return []
    const place = `inspection.tenants[${index + 1}]`
    return [`${place}: ${some(missed)} is exempt from inspection: over https ${header} is not added`]
  })
  const missed = youtube === undefined ? [] : own(YOUTUBE)
  if (missed.length === 0) return warnings
  return [
    ...warnings,
    `inspection.youtube: ${some(missed)} is exempt from inspection: over https nothing is restricted`,
  ]
}

/** https://support.google.com/a/answer/6214622: the hosts that read YouTube-Restrict. */
const YOUTUBE = ['.youtube.com', '.youtube-nocookie.com', 'youtubei.googleapis.com', 'youtube.googleapis.com'].map(
  (text) => parseHostPattern(text) as HostPattern,
)

function some(all: readonly { readonly text: string }[]): string {
  const first = all.slice(0, 3).map(({ text }) => `"${text}"`)
  return `${first.join(', ')}${all.length > first.length ? ', …' : ''}`
}

function codeWarnings(rule: Rule, at: number): readonly string[] {
  if (rule.action !== 'warn' && rule.action !== 'aup') return []
  const codes = rule.override?.codes ?? []
  const expired = codes.filter((code) => isExpired(code, at)).length
  if (expired === 0) return []
  if (!isAcknowledgeable(rule, at))
    return [`${label(rule)} cannot be acknowledged without a lesson code: all its codes have expired`]
  return [`${label(rule)} has ${expired} ${expired === 1 ? 'code that has' : 'codes that have'} expired`]
}

/** Rules below one that decides every request: it allows it, stops it, or has it acknowledged, and then its session allows it. */
function unreached(rules: readonly Rule[]): readonly string[] {
  const last = rules.findIndex(isAboutEverything)
  const deciding = rules[last]
  if (deciding === undefined) return []
  return rules
    .slice(last + 1)
    .map((rule) => `${label(rule)} never decides: ${ruleLabel(deciding)}, decides every request before it`)
}

function isAboutEverything({ tests, match, except }: Rule): boolean {
  const isEvery = patternsOf({ match }).some(({ host, path }) => host === '' && path === undefined)
  return except === undefined && tests.every(({ key }) => key === 'match' && isEvery)
}

function unnamed(
  all: readonly { readonly name: string }[],
  rules: readonly Rule[],
  key: 'lists' | 'groups',
): readonly string[] {
  const used = new Set<unknown>(rules.flatMap((rule) => [...(rule[key] ?? []), ...(rule.except?.[key] ?? [])]))
  return all.filter((one) => !used.has(one)).map(({ name }) => `${key}: no rule names "${name}"`)
}

/** Whether the rule's hosts and this pattern's have one in common. */
function covers({ match, lists }: Conditions, host: HostPattern): boolean {
  if (match !== undefined && !patternsOf({ match }).some((one) => overlap(one, host))) return false
  return lists === undefined || isListed(lists, host)
}

/** Whether the rule names hosts of this pattern, and not only hosts above it. */
function isAimedAt({ match, lists }: Conditions, host: HostPattern): boolean {
  if (match === undefined) return lists !== undefined && isListed(lists, host, true)
  const isNamed = patternsOf({ match }).some((one) => isAtOrBelow(one, host))
  return isNamed && (lists === undefined || isListed(lists, host))
}

function isAtOrBelow(one: HostPattern, host: HostPattern): boolean {
  return overlap(one, host) && one.host.length >= host.host.length
}

/** Whether these conditions cover every host of this pattern, for every client. */
function coversAll({ match, lists }: Conditions, host: HostPattern): boolean {
  const isMatched = patternsOf({ match }).some((one) => {
    if (one.path !== undefined) return false
    if (one.network !== undefined) return overlap(one, host)
    if (one.host === host.host) return (one.itself || !host.itself) && (one.below || !host.below)
    return one.below && (one.host === '' || host.host.endsWith(`.${one.host}`))
  })
  return isMatched || (lists !== undefined && isListed(lists, host))
}

/** @param isExact whether the host itself must be the entry, not one above it */
function isListed(lists: NonNullable<Conditions['lists']>, { host }: HostPattern, isExact = false): boolean {
  const suffixes = suffixesOf(host)
  return lists.some((list) => {
    const entry = findEntry(list, suffixes, hashHost(suffixes))
    return isExact ? entry === host : entry !== undefined
  })
}

function patternsOf({ match }: Partial<Pick<Conditions, 'match'>>): readonly HostPattern[] {
  return match === undefined ? [] : [...match.byHost.values()].flat()
}

function label(rule: Rule): string {
  return ruleLabel(rule, ': ')
}
