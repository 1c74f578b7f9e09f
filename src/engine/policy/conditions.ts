// Compares the conditions of a rule, and of its exceptions, with a request.
import type { DecisionRequest } from '../decision-request.ts'
import { type AddressRange, addressWords, isInRange } from './address-range.ts'
import type { Group } from './group.ts'
import { hostOf, suffixesOf } from './host.ts'
import { findPattern, type HostPattern, type HostPatterns } from './host-pattern.ts'
import { type DomainList, findEntry, hashHost, type SuffixHashes } from './lists/domain-list.ts'
import { pathOf, type UrlPath } from './url-path.ts'

/** Each member is undefined where the file does not name it. */
export interface Conditions {
  readonly match: HostPatterns | undefined
  readonly lists: readonly DomainList[] | undefined
  readonly clients: readonly AddressRange[] | undefined
  /** As `parseUser` returns them. */
  readonly users: ReadonlySet<string> | undefined
  readonly groups: readonly Group[] | undefined
}

/** The entry of a list that covers a host. */
export interface ListEntry {
  readonly list: string
  readonly entry: string
}

/** A request in the form that conditions need. Expensive parts are computed once, when the first condition needs them. */
export class Subject {
  readonly request: DecisionRequest
  /** Canonical. */
  readonly host: string
  /** Shortest first. */
  readonly suffixes: readonly string[]
  #path: UrlPath | undefined
  #address: readonly number[] | undefined
  #hashes: SuffixHashes | undefined

  constructor(request: DecisionRequest) {
    this.request = request
    this.host = hostOf(request.destination)
    this.suffixes = suffixesOf(this.host)
  }

  get path(): UrlPath {
    this.#path ??= pathOf(this.request.destination.rest)
    return this.#path
  }

  /** Valid until a list is compared with another subject. */
  get hashes(): SuffixHashes {
    this.#hashes ??= hashHost(this.suffixes)
    return this.#hashes
  }

  get address(): readonly number[] {
    this.#address ??= addressWords(this.request.client.address)
    return this.#address
  }
}

/** @param strict whether both forms of the path have to match: for what is allowed */
export function matchingPattern(patterns: HostPatterns, subject: Subject, strict: boolean): HostPattern | undefined {
  return findPattern(patterns, subject.suffixes, subject.path, strict)
}

export function matchingEntry(lists: readonly DomainList[], subject: Subject): ListEntry | undefined {
  for (const list of lists) {
    const entry = findEntry(list, subject.suffixes, subject.hashes)
    if (entry !== undefined) return { list: list.name, entry }
  }
  return undefined
}

export function matchingRange(ranges: readonly AddressRange[], { address }: Subject): AddressRange | undefined {
  return ranges.find((range) => isInRange(range, address))
}

export function matchesUser(users: ReadonlySet<string>, { request }: Subject): boolean {
  return request.user !== undefined && users.has(request.user)
}

export function matchingGroup(groups: readonly Group[], { request }: Subject): Group | undefined {
  const { user } = request
  return user === undefined ? undefined : groups.find(({ users }) => users.has(user))
}

/** Whether any of the exceptions matches. */
export function isExcepted(except: Conditions, subject: Subject, strict: boolean): boolean {
  return (
    (except.clients !== undefined && matchingRange(except.clients, subject) !== undefined) ||
    (except.users !== undefined && matchesUser(except.users, subject)) ||
    (except.groups !== undefined && matchingGroup(except.groups, subject) !== undefined) ||
    (except.match !== undefined && matchingPattern(except.match, subject, strict) !== undefined) ||
    (except.lists !== undefined && matchingEntry(except.lists, subject) !== undefined)
  )
}
