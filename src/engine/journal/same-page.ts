// What else was stopped on the same page: other hosts that the same client and user was stopped at within seconds. It goes by time
// and client: behind one address, it may have been another visitor.
import { sql, type Transaction } from 'kysely'
import type { DatabaseLocation } from '../../settings/sections/database.ts'
import type { Stop } from './find-stops.ts'
import type { JournalTables } from './schema.ts'
import { elements } from './write-batch.ts'

const SAME_PAGE_MS = 5_000
/** Of all stops together. */
const MAXIMUM_ROWS = 20_000
const MAXIMUM_HOSTS = 20

interface Neighbour {
  readonly at: number
  readonly host: string
}

/** @returns for each stop the other hosts, the earliest first */
export async function findSamePage(
  transaction: Transaction<JournalTables>,
  dialect: DatabaseLocation['dialect'],
  stops: readonly Stop[],
): Promise<readonly (readonly string[])[]> {
  const windows = windowsOf(stops)
  if (windows.length === 0) return stops.map(() => [])
  const { rows } = await sql<{ at: string | number; client: string; user_name: string | null; host: string }>`
    select s.at, s.client, s.user_name, s.host from ${elements(dialect, windows)} cross join journal_stop as s
    where s.client = e.value->>0 and s.at between cast(e.value->>1 as bigint) and cast(e.value->>2 as bigint)
      and s.host is not null
    limit ${sql.lit(MAXIMUM_ROWS)}
  `.execute(transaction)
  const neighbours = Map.groupBy(
    rows.map(({ at, ...row }) => ({ ...row, at: Number(at) })),
    personOf,
  )
  for (const [person, found] of neighbours) {
    neighbours.set(
      person,
      found.toSorted((one, other) => one.at - other.at),
    )
  }
  return stops.map((stop) => (stop.host === null ? [] : hostsAround(stop, neighbours.get(personOf(stop)) ?? [])))
}

/** Each client's spans of time; those that overlap are one. */
function windowsOf(stops: readonly Stop[]): readonly (readonly [client: string, from: number, until: number])[] {
  const byClient = Map.groupBy(
    stops.filter(({ host }) => host !== null),
    ({ client }) => client,
  )
  return [...byClient].flatMap(([client, those]) => {
    const windows: [string, number, number][] = []
    for (const { at } of those.toSorted((one, other) => one.at - other.at)) {
      const last = windows.at(-1)
      if (last !== undefined && at - SAME_PAGE_MS <= last[2]) last[2] = at + SAME_PAGE_MS
      else windows.push([client, at - SAME_PAGE_MS, at + SAME_PAGE_MS])
    }
    return windows
  })
}

/** @param sorted by time */
function hostsAround({ at, host: own }: Stop, sorted: readonly Neighbour[]): readonly string[] {
  const hosts = new Set<string>()
  for (let index = firstFrom(sorted, at - SAME_PAGE_MS); index < sorted.length; index++) {
    const one = sorted[index] as Neighbour
    if (one.at > at + SAME_PAGE_MS || hosts.size === MAXIMUM_HOSTS) break
    if (one.host !== own) hosts.add(one.host)
  }
  return [...hosts]
}

function firstFrom(sorted: readonly Neighbour[], at: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as Neighbour).at < at) low = middle + 1
    else high = middle
  }
  return low
}

function personOf({ client, user_name }: { readonly client: string; readonly user_name: string | null }): string {
  // Neither has a line break.
  return `${client}\n${user_name ?? ''}`
}
