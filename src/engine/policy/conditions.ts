// Compares the conditions of a rule, and of its exceptions, with a request.

import { type AddressRange, addressWords, isInRange } from '../../network/address-range.ts'
import { hostOf, suffixesOf } from '../../network/host.ts'
import { findPattern, type HostPatterns } from '../../network/host-pattern.ts'
import { pathOf, type UrlPath } from '../../network/url-path.ts'
import type { DecisionRequest } from '../request/decision-request.ts'
import type { Group } from './group.ts'
import { type DomainList, findEntry, hashHost, type SuffixHashes } from './lists/domain-list.ts'

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

/** A host in the form that conditions need. Its hashes are computed once, when the first list needs them. */
export class HostSubject {
  /** Canonical. */
  readonly host: string
  /** Shortest first. */
  readonly suffixes: readonly string[]
  #hashes: SuffixHashes | undefined

  constructor(host: string) {
    this.host = host
    this.suffixes = suffixesOf(host)
  }

  /** Valid until a list is compared with another subject. */
  get hashes(): SuffixHashes {
    this.#hashes ??= hashHost(this.suffixes)
    return this.#hashes
  }
}

/** A request in the same form. */
export class Subject extends HostSubject {
  readonly request: DecisionRequest
  #path: UrlPath | undefined
  #address: readonly number[] | undefined

  constructor(request: DecisionRequest) {
    super(hostOf(request.destination))
    this.request = request
  }

  get path(): UrlPath {
    this.#path ??= pathOf(this.request.target)
    return this.#path
  }

  get address(): readonly number[] {
    this.#address ??= addressWords(this.request.client.address)
    return this.#address
  }
}

export function matchingEntry(lists: readonly DomainList[], subject: HostSubject): ListEntry | undefined {
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

/** Whether any of the exceptions matches; `'ambiguous'` if that depends on an ambiguous path. */
export function isExcepted(except: Conditions, subject: Subject, strict: boolean): boolean | 'ambiguous' {
  const { clients, users, groups, match, lists } = except
  if (clients !== undefined && matchingRange(clients, subject) !== undefined) return true
  if (users !== undefined && matchesUser(users, subject)) return true
  if (groups !== undefined && matchingGroup(groups, subject) !== undefined) return true
  const pattern = match && findPattern(match, subject, strict)
  if (pattern !== undefined && pattern !== 'ambiguous') return true
  if (lists !== undefined && matchingEntry(lists, subject) !== undefined) return true
  return pattern === 'ambiguous' ? pattern : false
}
