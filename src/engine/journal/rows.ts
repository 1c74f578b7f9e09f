// The rows of stopped requests. What the decision does not know is added here, behind it: category and group, by the policy in
// force, and the hour.
import type { VerdictKind } from '../../contract/verdict.ts'
import type { StopRecord } from '../monitoring/stopped-requests.ts'
import { groupOf } from '../policy/group.ts'
import type { Policy } from '../policy/policy.ts'
import type { ZoneClock } from '../policy/schedule/zone-clock.ts'

/** As `journal_stop`, in the order of its columns, and the hour whose totals count it. */
export type StopRow = readonly [
  at: number,
  reference: string,
  verdict: VerdictKind,
  rule: string,
  category: string | null,
  list: string | null,
  entry: string | null,
  host: string | null,
  client: string,
  user: string | null,
  group: string | null,
  keyId: number | null,
  hour: number,
]

export type DescribingPolicy = Pick<Policy, 'rules' | 'groups'>

/** Longer than any value that the engine reads; PostgreSQL indexes at most 2,704 bytes. */
const MAXIMUM_CHARACTERS = 300

/** @param hosts whether they are recorded */
export function stopRows(
  stops: readonly StopRecord[],
  policy: DescribingPolicy,
  { hosts, zone }: { readonly hosts: boolean; readonly zone: ZoneClock },
): readonly StopRow[] {
  const categories = categoriesOf(policy)
  const storedOrNull = (text: string | undefined) => (text === undefined ? null : stored(text))
  return stops.map(({ at, reference, verdict, rule, reason, host, address, user }) => [
    at,
    reference,
    verdict,
    stored(rule),
    storedOrNull(categories.get(rule)),
    storedOrNull(reason?.entry?.list),
    // It names the host, or one above it.
    hosts ? storedOrNull(reason?.entry?.entry) : null,
    hosts ? stored(host) : null,
    stored(address),
    storedOrNull(user),
    storedOrNull(groupOf(policy.groups, user)?.name),
    null,
    hourOf(at, zone),
  ])
}

const MINUTE_MS = 60_000

/** When the hour of this time began: some zones are half an hour apart from UTC. */
export function hourOf(at: number, zone: ZoneClock): number {
  return (Math.floor(at / MINUTE_MS) - (zone.read(at).minute % 60)) * MINUTE_MS
}

const known = new WeakMap<DescribingPolicy, ReadonlyMap<string, string>>()

/** By the rule's name. */
export function categoriesOf(policy: DescribingPolicy): ReadonlyMap<string, string> {
  return known.getOrInsertComputed(
    policy,
    () => new Map(policy.rules.flatMap(({ name, category }) => (category === undefined ? [] : [[name, category]]))),
  )
}

/** PostgreSQL accepts neither NUL nor half a surrogate pair, and one such value would fail the rows of all others. */
export function stored(text: string): string {
  return text.slice(0, MAXIMUM_CHARACTERS).toWellFormed().replaceAll('\0', '\ufffd')
}
