// What a rule may name: each row of the table is a key of the TOML file, how it is read, and how it is compared with a request.
// The rows are in the order in which they are compared, the cheapest first. A rule matches when all of its conditions do; one of
// its exceptions suffices to except a request.
import * as z from 'zod'
import { isInRange } from '../../network/address-range.ts'
import { findPattern, type HostPatterns, indexPatterns } from '../../network/host-pattern.ts'
import { sentPathOf } from '../../network/url-path.ts'
import { parseUser } from '../request/user.ts'
import { type Group, groupOf } from './group.ts'
import { type DomainList, findEntry, findUrl, findUrlHost, type ListEntry } from './lists/domain-list.ts'
import { isInRoom, type Room } from './room.ts'
import { isWithin, localTimeText, scheduleText } from './schedule/schedule.ts'
import { type DeclaredTimes, loadSchedule, schedule } from './schedule/schedule-shape.ts'
import type { HostSubject, Subject } from './subject.ts'
import { clients, name, pattern, user } from './value-shapes.ts'

/** Which of the hosts that a rule names covers the request's. */
export interface MatchReason {
  /** As written in `match`. */
  readonly pattern: string | undefined
  readonly entry: ListEntry | undefined
}

/** What the policy declares elsewhere, to which the conditions refer. */
export interface Declared extends DeclaredTimes {
  readonly lists: readonly DomainList[]
  readonly groups: readonly Group[]
  readonly rooms: readonly Room[]
  /** See `parseUser`. */
  readonly affixes: readonly string[]
}

/** A hit is what matches of the value; never a string, so that none can be `'ambiguous'`. */
interface Condition<Shape extends z.ZodType, Value, Hit extends object | true> {
  /** Where the names are declared that the key refers to. */
  readonly declaredIn?: string
  readonly shape: Shape
  readonly load: (content: z.output<Shape>, declared: Declared) => Value
  /**
   * What matches the request; `'ambiguous'` if that depends on an ambiguous path.
   * @param strict whether every way in which servers may read the path has to match: for what allows, unlike what stops
   */
  readonly find: (value: Value, subject: Subject, strict: boolean) => Hit | 'ambiguous' | undefined
  /** What the file names, in the form in which it is compared. */
  readonly texts: (value: Value) => readonly string[]
  /** Why nothing matches, in words. */
  readonly mismatch: (value: Value, subject: Subject) => string
  /** What matches, in words. Undefined for a key that exceptions cannot have. */
  readonly describe?: (hit: Hit, subject: Subject) => string
  /** Adds the hit to the reason for which the rule matches. */
  readonly addReason?: (hit: Hit, reason: MatchReason) => MatchReason
}

export const CONDITIONS = {
  switch: row({
    shape: name,
    load: (name) => name,
    find: (name, { switches, address, at }) => switches.offAt(name, address, at) !== undefined || undefined,
    texts: (name) => [name],
    mismatch: (name, { request }) => `"${name}" is off for ${request.client.address}`,
  }),
  when: row({
    declaredIn: '[schedules]',
    shape: schedule,
    load: loadSchedule,
    find: (when, { at }) => isWithin(when, at) || undefined,
    texts: (when) => when.map((span) => scheduleText([span])),
    mismatch: (when, { at }) => {
      const everyDate = when.map((span) => ({ ...span, notOn: new Set<number>() }))
      const isExcluded = isWithin(everyDate, at)
      return `${scheduleText(when)}; it is ${localTimeText(when, at)}${isExcluded ? ', a date of not_on' : ''}`
    },
  }),
  clients: row({
    shape: clients,
    load: (ranges) => ranges,
    find: (ranges, { address }) => ranges.find((range) => isInRange(range, address)),
    texts: (ranges) => ranges.map(({ text }) => text),
    mismatch: (_, { request }) => `none of them contains ${request.client.address}`,
    describe: ({ text }) => `the client is in "${text}"`,
  }),
  rooms: row({
    declaredIn: '[rooms]',
    shape: z.array(name).min(1, 'must name at least one room'),
    load: (names, { rooms }) => named(rooms, names),
    find: (rooms, { address }) => rooms.find((room) => isInRoom(room, address)),
    texts: (rooms) => rooms.map(({ name }) => name),
    mismatch: (rooms, { request }) => `${request.client.address} is in none of ${quoted(rooms)}`,
    describe: (room) => `the client is in the room "${room.name}"`,
  }),
  users: row({
    shape: z.array(user).min(1, 'must name at least one user'),
    load: (names, { affixes }): ReadonlySet<string> => new Set(names.flatMap((one) => parseUser(one, affixes) ?? [])),
    find: (users, { request }) => (request.user !== undefined && users.has(request.user)) || undefined,
    texts: (users) => [...users],
    mismatch: (_, subject) => userText(subject),
    describe: (_, { request }) => `the user is "${request.user}"`,
  }),
  groups: row({
    declaredIn: '[groups]',
    shape: z.array(name).min(1, 'must name at least one group'),
    load: (names, { groups }) => named(groups, names),
    find: (groups, { request: { user } }) => groupOf(groups, user),
    texts: (groups) => groups.map(({ name }) => name),
    mismatch: (groups, subject) =>
      `${userText(subject)}${subject.request.user === undefined ? '' : `, in none of ${quoted(groups)}`}`,
    describe: (group) => `the user is in the group "${group.name}"`,
  }),
  match: row({
    shape: z.array(pattern).min(1, 'must name at least one host'),
    load: (patterns) => indexPatterns(patterns),
    find: findPattern,
    texts: ({ byHost }) => [...byHost.values()].flat().map(({ text }) => text),
    mismatch: (patterns, subject) => `no pattern covers ${subject.host}${pathText(patterns, subject)}`,
    describe: ({ text }) => `"${text}" covers the request`,
    addReason: ({ text }, { entry }) => ({ pattern: text, entry }),
  }),
  lists: row({
    declaredIn: '[[lists]]',
    shape: z.array(name).min(1, 'must name at least one list'),
    load: (names, { lists }) => named(lists, names),
    find: matchingEntry,
    texts: (lists) => lists.map(({ name }) => name),
    mismatch: (lists, subject) =>
      `${subject.host}${listedPathText(lists, subject)} is in none of ${lists.map(listText).join(', ')}`,
    describe: ({ list, entry }) => `"${entry}" is in the list "${list}"`,
    addReason: (entry, { pattern }) => ({ pattern, entry }),
  }),
}

type Key = keyof typeof CONDITIONS
type AnyCondition = Condition<z.ZodType, unknown, object | true>

export const CONDITION_KEYS = Object.keys(CONDITIONS) as readonly Key[]
/** Those that exceptions may have. */
export const EXCEPTION_KEYS = CONDITION_KEYS.filter((key) => rowOf(key).describe !== undefined)

/** What a rule, or its exceptions, have in the file. */
export type ConditionsContent = { readonly [K in Key]?: z.output<(typeof CONDITIONS)[K]['shape']> | undefined }

/** A condition that is named, with what it names. */
interface Test {
  readonly key: Key
  readonly condition: AnyCondition
  readonly value: unknown
}

/** The conditions of a rule, or its exceptions; each but `tests` is undefined where the file does not name it. */
export type Conditions = {
  readonly [K in Key]: ReturnType<(typeof CONDITIONS)[K]['load']> | undefined
} & {
  /** Those that are named, in the order of the table. */
  readonly tests: readonly Test[]
}

export function loadConditions(content: ConditionsContent, declared: Declared): Conditions {
  const tests = CONDITION_KEYS.flatMap((key): readonly Test[] => {
    const condition = rowOf(key)
    return content[key] === undefined ? [] : [{ key, condition, value: condition.load(content[key], declared) }]
  })
  const values = Object.fromEntries(CONDITION_KEYS.map((key) => [key, tests.find((test) => test.key === key)?.value]))
  return { ...(values as Omit<Conditions, 'tests'>), tests }
}

const NO_REASON: MatchReason = { pattern: undefined, entry: undefined }

/** Why all conditions match; undefined if one does not. `'ambiguous'` if that depends on an ambiguous path. */
export function matchAll(
  { tests }: Pick<Conditions, 'tests'>,
  subject: Subject,
  strict: boolean,
): MatchReason | 'ambiguous' | undefined {
  let reason = NO_REASON
  let isAmbiguous = false
  for (const { condition, value } of tests) {
    const hit = condition.find(value, subject, strict)
    if (hit === undefined) return undefined
    if (hit === 'ambiguous') isAmbiguous = true
    else if (condition.addReason !== undefined) reason = condition.addReason(hit, reason)
  }
  return isAmbiguous ? 'ambiguous' : reason
}

/** The first condition that matches, described when that is called; `'ambiguous'` if that depends on an ambiguous path. */
export function matchAny(
  { tests }: Pick<Conditions, 'tests'>,
  subject: Subject,
  strict: boolean,
): (() => string) | 'ambiguous' | undefined {
  let isAmbiguous = false
  for (const { condition, value } of tests) {
    const hit = condition.find(value, subject, strict)
    if (hit === 'ambiguous') isAmbiguous = true
    else if (hit !== undefined) return () => String(condition.describe?.(hit, subject))
  }
  return isAmbiguous ? 'ambiguous' : undefined
}

/** Each condition that does not match, with why. */
export function mismatchesOf({ tests }: Conditions, subject: Subject, strict: boolean): readonly string[] {
  return tests
    .filter(({ condition, value }) => condition.find(value, subject, strict) === undefined)
    .map(({ key, condition, value }) => `${key}: ${condition.mismatch(value, subject)}`)
}

/** By key, what each names, in the order in which they are compared. */
export function conditionTexts({ tests }: Conditions): readonly (readonly [key: string, texts: readonly string[]])[] {
  return tests.map(({ key, condition, value }) => [key, condition.texts(value)])
}

/**
 * The entry of the first of these lists that covers the request; `'ambiguous'` if that depends on an ambiguous path.
 * @param strict whether it allows: then every reading of the path has to be covered where an entry has one, and the content of
 * another list's file does not count
 */
function matchingEntry(
  lists: readonly DomainList[],
  subject: Subject,
  strict: boolean,
): ListEntry | 'ambiguous' | undefined {
  let isAmbiguous = false
  for (const list of lists) {
    if (strict && list.fallback?.kind === 'other') continue
    const { suffixes, hashes } = subject
    const entry = findEntry(list, suffixes, hashes)
    if (entry !== undefined) return { list: list.name, entry }
    const found = findUrl(list, suffixes, hashes, () => subject.path, strict)
    if (found === 'ambiguous') isAmbiguous = true
    else if (found !== undefined) return { list: list.name, entry: found.url }
  }
  return isAmbiguous ? 'ambiguous' : undefined
}

/** The entry of the first of these lists that is about some request for the host. */
export function hostEntry(lists: readonly DomainList[], { suffixes, hashes }: HostSubject): ListEntry | undefined {
  for (const list of lists) {
    const entry = findEntry(list, suffixes, hashes) ?? findUrlHost(list, suffixes, hashes)
    if (entry !== undefined) return { list: list.name, entry }
  }
  return undefined
}

/** For the types of a row. */
function row<Shape extends z.ZodType, Value, Hit extends object | true>(condition: Condition<Shape, Value, Hit>) {
  return condition
}

function rowOf(key: Key): AnyCondition {
  return CONDITIONS[key] as unknown as AnyCondition
}

/** Those with these names, all of which exist. */
function named<T extends { readonly name: string }>(all: readonly T[], names: readonly string[]): readonly T[] {
  return names.flatMap((name) => all.find((one) => one.name === name) ?? [])
}

function quoted(all: readonly { readonly name: string }[]): string {
  return all.map(({ name }) => `"${name}"`).join(', ')
}

function listText({ name, fallback }: DomainList): string {
  return `"${name}"${fallback?.kind === 'missing' ? ' (missing)' : ''}`
}

function userText({ request: { user } }: Subject): string {
  return user === undefined ? 'the proxy names no user' : `the user is "${user}"`
}

/** Of the ways in which servers may read a path. */
const MAXIMUM_READINGS = 3

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

/** The path, where a list has one of the host. */
function listedPathText(lists: readonly DomainList[], { suffixes, hashes, request }: Subject): string {
  const isNamed = lists.some((list) => findUrlHost(list, suffixes, hashes) !== undefined)
  return isNamed ? ` with the path ${sentPathOf(request.target)}` : ''
}

function asText(reading: string): string {
  return Buffer.from(reading, 'latin1').toString()
}
