// The last requests that were stopped, so that an operator can look up the reference that a visitor reads out.

import { isDictated } from '../../contract/reference.ts'
import type { VerdictKind } from '../../contract/verdict.ts'
import type { MatchReason } from '../policy/conditions.ts'
import { parseClient } from '../request/client.ts'
import type { DecisionRequest } from '../request/decision-request.ts'
import { parseTarget, sentUrl } from '../request/target.ts'

export interface StoppedRequest {
  /** The verdict's id. */
  readonly reference: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly request: DecisionRequest
  readonly verdict: VerdictKind
  /** The rule's name. */
  readonly rule: string
  /** Undefined for the default. */
  readonly reason: MatchReason | undefined
}

/** What is kept of a stopped request: strings of its own, which are parsed again when it is looked up. */
export interface StopRecord extends Omit<StoppedRequest, 'request'> {
  /** At most 512 characters. */
  readonly url: string
  readonly method: string
  /** In the canonical form. */
  readonly host: string
  readonly address: string
  readonly user: string | undefined
}

export interface StoppedRequests {
  add(stopped: StoppedRequest): StopRecord
  /**
   * Those that may be meant, the newest first; one alone if the reference is exactly that.
   * @param dictated at least the beginning of a reference
   */
  find(dictated: string): readonly StoppedRequest[]
  /** Those that are recorded now. */
  all(): Iterable<StoppedRequest>
  /** Those of one client or user, the oldest first. */
  of(isTheirs: IsTheirs): readonly StoppedRequest[]
  /** @returns their number */
  remove(isTheirs: IsTheirs): number
  readonly size: number
}

type IsTheirs = (stopped: { readonly address: string; readonly user: string | undefined }) => boolean

export const STOPPED_IN_MEMORY = 10_000
/** With these, the request's other strings and the objects, the full capacity takes at most 16 MiB. */
const MAXIMUM_URL = 512

/** In memory only; when it is full, the oldest is evicted. */
export function createStoppedRequests(capacity = STOPPED_IN_MEMORY): StoppedRequests {
  let ring: StopRecord[] = []
  let next = 0
  /** The oldest first. */
  const inOrder = () => (ring.length < capacity ? ring : [...ring.slice(next), ...ring.slice(0, next)])
  return {
    add(stopped) {
      const record = recordOf(stopped)
      ring[next] = record
      next = (next + 1) % capacity
      return record
    },
    find(dictated) {
      const exact = ring.find(({ reference }) => reference === dictated)
      const found = exact ? [exact] : ring.filter(({ reference }) => isDictated(reference, dictated))
      return [...read(found)].sort((one, other) => other.at - one.at)
    },
    all: () => read([...ring]),
    of: (isTheirs) => [...read(inOrder().filter(isTheirs))],
    remove(isTheirs) {
      const before = ring.length
      ring = inOrder().filter((record) => !isTheirs(record))
      next = ring.length % capacity
      return before - ring.length
    },
    get size() {
      return ring.length
    },
  }
}

function recordOf({ reference, at, verdict, rule, reason, request }: StoppedRequest): StopRecord {
  const { host, method, client, user, destination } = request
  const url = ownCopy(shorten(sentUrl(request)))
  const { length } = destination.scheme
  return {
    reference,
    at,
    verdict,
    rule,
    reason,
    url,
    method: ownCopy(method),
    host: url.startsWith(host, length) ? url.slice(length, length + host.length) : ownCopy(host),
    address: ownCopy(client.address),
    user: user && ownCopy(user),
  }
}

/** A part of a string, such as of the head that it was in, keeps the whole one in memory. */
function ownCopy(part: string): string {
  return Buffer.from(part).toString()
}

/** One after the other. */
function* read(records: readonly StopRecord[]): Generator<StoppedRequest> {
  for (const { reference, at, verdict, rule, reason, url, method, address, user } of records) {
    const [target, client] = [parseTarget(url), parseClient(address)]
    if (target.reason !== undefined || client === undefined) continue
    yield { reference, at, verdict, rule, reason, request: { ...target, method, client, user } }
  }
}

/** A long URL without its query, which no rule is about, and only then without the end of its path; never without its host. */
function shorten(url: string): string {
  return url.length <= MAXIMUM_URL ? url : url.replace(/[?#].*$/, '').slice(0, MAXIMUM_URL)
}
