// Rule matching a second time: slow, obvious, and without a line of the engine's. Works on the text of patterns and on plain
// lists of names, and asks Temporal and BlockList where the engine computes.
import { BlockList, isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { obviousUser } from '../request/obvious-user.ts'
import { allReadings } from './origin-servers.ts'

export interface ObviousConditions {
  readonly match?: readonly string[]
  readonly lists?: readonly string[]
  readonly clients?: readonly string[]
  readonly rooms?: readonly string[]
  readonly users?: readonly string[]
  readonly groups?: readonly string[]
}

export interface ObviousSpan {
  readonly days: readonly string[]
  readonly on?: string
  readonly until?: string
  readonly from: string
  readonly to: string
  readonly timezone: string
  readonly holidays: readonly string[]
}

export interface ObviousRule extends ObviousConditions {
  readonly name: string
  readonly action: 'allow' | 'block' | 'warn'
  /** With "block" only. */
  readonly locked?: boolean
  readonly switch?: string
  readonly when?: readonly ObviousSpan[]
  readonly except?: ObviousConditions
}

export interface ObviousPolicy {
  readonly rules: readonly ObviousRule[]
  readonly lists: Readonly<Record<string, readonly string[]>>
  readonly groups: Readonly<Record<string, readonly string[]>>
  readonly rooms: Readonly<Record<string, readonly string[]>>
  /** The networks for which each switch is on. */
  readonly on: Readonly<Record<string, readonly string[]>>
  /** What is no part of a user's name. */
  readonly strip: readonly string[]
}

export interface ObviousRequest {
  readonly url: string
  readonly client: string
  readonly user: string | undefined
  readonly at: number
}

/** `'ambiguous'` where the path would decide and cannot. */
type Met = boolean | 'ambiguous'

/** The name of the rule that decides; undefined where none does. */
export function obviousRule(policy: ObviousPolicy, request: ObviousRequest): string | undefined {
  for (const rule of [...policy.rules].sort((one, other) => Number(other.locked ?? 0) - Number(one.locked ?? 0))) {
    const isAllow = rule.action === 'allow'
    const named = conditionsMet(rule, policy, request, isAllow)
    if (rule.when !== undefined) named.push(rule.when.some((span) => inSpan(span, request.at)))
    if (rule.switch !== undefined) {
      named.push((policy.on[rule.switch] ?? []).some((range) => contains(range, request.client)))
    }
    const exceptions = rule.except === undefined ? [] : conditionsMet(rule.except, policy, request, !isAllow)
    if (named.includes(false) || exceptions.includes(true)) continue
    return [...named, ...exceptions].includes('ambiguous') ? 'ambiguous' : rule.name
  }
  return undefined
}

/** One for each condition that is named. */
function conditionsMet(
  conditions: ObviousConditions,
  { lists, groups, rooms, strip }: ObviousPolicy,
  { url, client, user }: ObviousRequest,
  both: boolean,
): Met[] {
  const host = plainHost(new URL(url).hostname)
  const isUser = (name: string) => user !== undefined && obviousUser(name, strip) === obviousUser(user, strip)
  const met: Met[] = []
  if (conditions.match) {
    const covers = conditions.match.map((pattern) => patternCovers(pattern, url, both))
    met.push(covers.includes(true) || (covers.includes('ambiguous') && 'ambiguous'))
  }
  if (conditions.lists) {
    const covers = conditions.lists
      .flatMap((list) => lists[list] ?? [])
      .map((entry) => {
        return entry.includes('/') ? patternCovers(`.${entry}`, url, both) : equalOrBelow(host, plainName(entry))
      })
    met.push(covers.includes(true) || (covers.includes('ambiguous') && 'ambiguous'))
  }
  if (conditions.clients) met.push(conditions.clients.some((range) => contains(range, client)))
  if (conditions.rooms) {
    met.push(conditions.rooms.flatMap((room) => rooms[room] ?? []).some((range) => contains(range, client)))
  }
  if (conditions.users) met.push(conditions.users.some(isUser))
  if (conditions.groups) met.push(conditions.groups.flatMap((group) => groups[group] ?? []).some(isUser))
  return met
}

function patternCovers(pattern: string, url: string, all: boolean): Met {
  const [hostPattern = '', ...segments] = pattern.replace(/\/\*$/, '').split('/')
  const host = plainHost(new URL(url).hostname)
  const address = hostPattern.replace(/^\[|\]$/g, '')
  if (isIP(address) !== 0 && segments.length > 0) return isIP(host) !== 0 && contains(`${address}/${segments[0]}`, host)
  let coversHost: boolean
  if (hostPattern === '*') coversHost = true
  else if (hostPattern.startsWith('*.')) {
    const name = plainName(hostPattern.slice(2))
    coversHost = host !== name && equalOrBelow(host, name)
  } else if (hostPattern.startsWith('.')) coversHost = equalOrBelow(host, plainName(hostPattern.slice(1)))
  else coversHost = host === plainName(hostPattern)
  if (!coversHost) return false
  if (segments.join('') === '') return true
  const sent = /^[^:]+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] || '/'
  const path = spelled(sent)
  const wanted = spelled(new URL(`http://x/${segments.join('/')}`).pathname)
  const isDot = (segment: string) => ['.', '..'].includes(segment.replaceAll(/%2e/gi, '.'))
  const readings = [...allReadings(path)]
  if (sent.includes('\\') || sent.split('/').some(isDot) || readings.length > 128) return 'ambiguous'
  const prefixes = [...allReadings(wanted)]
  if (all) {
    const isRead = (reading: string) => prefixes.some((one) => beginsWith(reading, one))
    return beginsWith(path, wanted) && readings.every(isRead)
  }
  return readings.map(caseless).some((reading) => prefixes.some((one) => beginsWith(reading, caseless(one))))
}

/** Of the letters that these tests have. */
function caseless(reading: string): string {
  const text = Buffer.from(reading, 'latin1').toString()
  return [...text].map((one) => one.toLowerCase()).join('')
}

function beginsWith(path: string, prefix: string): boolean {
  const segments = path.split('/')
  const wanted = prefix.split('/')
  // Slashes at the end of a prefix make no difference.
  const trimmed = wanted.slice(0, wanted.findLastIndex((segment) => segment !== '') + 1)
  return trimmed.every((segment, index) => segments[index] === segment)
}

/** In the spelling of browsers. */
function spelled(path: string): string {
  const bytes = Array.from(Buffer.from(path), (byte) => {
    const isSent = byte > 32 && byte < 127 && !'"<>^`{|}'.includes(String.fromCharCode(byte))
    return isSent ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`
  })
  return bytes.join('').replace(/%[0-9a-f]{2}/gi, (encoded) => encoded.toUpperCase())
}

/** Without brackets and dots at the end; an IPv4 address in an IPv6 one as IPv4. */
export function plainHost(hostname: string): string {
  const address = hostname.replace(/^\[|\]$/g, '')
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(address) ?? []
  if (high === undefined || low === undefined) return address.replace(/\.+$/, '')
  const number = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.')
}

function plainName(name: string): string {
  if (isIP(name) === 6) return plainHost(new URL(`http://[${name}]`).hostname)
  const bare = name.replace(/^\*?\./, '').replace(/\.$/, '')
  return isIP(bare) ? bare : domainToASCII(bare)
}

export function equalOrBelow(host: string, name: string): boolean {
  if (isIP(host) !== 0) return host === name
  const labels = host.split('.').reverse()
  const wanted = name.split('.').reverse()
  return wanted.every((label, index) => labels[index] === label)
}

export function contains(range: string, client: string): boolean {
  const [address = '', bits] = range.split('/')
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  if (bits === undefined) list.addAddress(address, family)
  else list.addSubnet(address, Number(bits), family)
  return isIP(client) === isIP(address) && list.check(client, family)
}

/** The span that began today, or the one that began yesterday and goes over midnight. */
function inSpan({ days, on, until = on, from, to, timezone, holidays }: ObviousSpan, at: number): boolean {
  const now = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone)
  const today = now.toPlainDate()
  const yesterday = today.subtract({ days: 1 })
  const clock = now.toPlainTime().toString().slice(0, 5)
  const names = ['', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
  const startsOn = (day: Temporal.PlainDate) =>
    days.includes(names[day.dayOfWeek] ?? '') &&
    !holidays.includes(day.toString()) &&
    (on === undefined || Temporal.PlainDate.compare(day, on) >= 0) &&
    (until === undefined || Temporal.PlainDate.compare(day, until) <= 0)
  const isOverMidnight = to < from
  if (!isOverMidnight) return startsOn(today) && clock >= from && clock < to
  return (startsOn(today) && clock >= from) || (startsOn(yesterday) && clock < to)
}
