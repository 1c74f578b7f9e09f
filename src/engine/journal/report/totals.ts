// Sums of the journal's totals over a period. Each function is one statement, grouped by the database: a month of a large site has
// millions of totals.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { JournalTables } from '../schema.ts'
import type { Period } from './period.ts'

export type JournalTransaction = Transaction<JournalTables>

export interface HourTotal {
  /** Its start, in milliseconds since the epoch. */
  readonly hour: number
  readonly verdict: string
  readonly requests: number
}

/** What stopped requests. Null for a rule without a category, and for stops that no list caused. */
export interface Source {
  readonly rule: string
  readonly category: string | null
  readonly list: string | null
}

export interface SourceTotal extends Source {
  readonly requests: number
}

export interface HostTotal extends Source {
  readonly host: string
  readonly requests: number
  /** Among all, by the number of requests, and among those of its list; 1 is the first. */
  readonly place: number
  readonly placeInList: number
}

/** Requests for a host that a permission opens, by what stopped them. */
interface PermittedTotal extends SourceTotal {
  readonly permitted: string
}

/** A host as permissions name it: with a dot before it, all below it, too. */
type HostLabel = string

/** Of a policy with rules for many groups and lists: the largest. */
const MAXIMUM_SOURCES = 5_000

type Raw<Row> = { readonly [Key in keyof Row]: Row[Key] extends number ? number | string : Row[Key] }

export async function totalsByHour(transaction: JournalTransaction, period: Period): Promise<readonly HourTotal[]> {
  const { rows } = await sql<Raw<HourTotal>>`
    select hour, verdict, sum(requests) as requests from journal_total where ${inPeriod(period)} group by hour, verdict
  `.execute(transaction)
  return rows.map(({ hour, verdict, requests }) => ({ hour: Number(hour), verdict, requests: Number(requests) }))
}

/** What a report asks about stopped requests. */
export interface Asked {
  /** Of all hosts. */
  readonly top: number
  readonly ofEachList: number
  /** Hosts of permissions. */
  readonly permitted: readonly HostLabel[]
}

export interface StopTotals {
  readonly sources: readonly SourceTotal[]
  /** Those that were stopped most, and those of each list. */
  readonly hosts: readonly HostTotal[]
  /** Also for hosts below those with a dot before them. */
  readonly permitted: readonly PermittedTotal[]
}

/**
 * Each most first. In one statement: grouping by host takes longer than all else, and the rest is made of it. Hosts below a label
 * are found by their last characters, as many as a label has: to compare each host with each label took longer than the rest.
 */
export async function totalsOfStops(
  transaction: JournalTransaction,
  period: Period,
  { top, ofEachList, permitted }: Asked,
): Promise<StopTotals> {
  // No host is an empty one.
  const labels = permitted.length === 0 ? [['', '']] : permitted.map((label) => [label, label.replace(/^\./, '')])
  const { rows } = await sql<StopRow>`
    with by_host as materialized (
      select rule_name, category, list_name, host, sum(requests) as requests from journal_total
      where ${inPeriod(period)} and verdict <> 'allow' group by rule_name, category, list_name, host
    ), by_source as (
      select rule_name, category, list_name, sum(requests) as requests from by_host
      group by rule_name, category, list_name order by requests desc limit ${MAXIMUM_SOURCES}
    ), ranked as (
      select by_host.*, row_number() over (order by requests desc, host, rule_name, list_name) as place,
        row_number() over (partition by list_name order by requests desc, host, rule_name) as place_in_list
      from by_host where host <> ''
    ), label (label, host) as (${rowsOf(labels)}), size (size) as (
      select distinct length(label) from label where label <> host
    ), below as (
      select by_host.*, substr(host, length(host) - size + 1) as tail from by_host join size on length(host) > size
    ), opened as (
      select label, rule_name, category, list_name, requests from by_host join label on by_host.host = label.host
        where by_host.host <> ''
      union all
      select label, rule_name, category, list_name, requests from below join label on tail = label and label <> label.host
    ), by_label as (
      select label, rule_name, category, list_name, sum(requests) as requests from opened
      group by label, rule_name, category, list_name order by requests desc limit ${MAXIMUM_SOURCES}
    )
    select 'source' as kind, ${SOURCE}, requests, '' as host, 0 as place, 0 as "placeInList" from by_source
    union all
    select 'host', ${SOURCE}, requests, host, place, place_in_list from ranked
      where place <= ${top} or (list_name <> '' and place_in_list <= ${ofEachList})
    union all
    select 'permitted', ${SOURCE}, requests, label, 0, 0 from by_label
  `.execute(transaction)
  const of = (kind: StopRow['kind']) => rows.filter((row) => row.kind === kind)
  const mostFirst = <Total extends SourceTotal>(totals: readonly Total[]) =>
    totals.toSorted((one, other) => other.requests - one.requests || (one.rule < other.rule ? -1 : 1))
  return {
    sources: mostFirst(of('source').map(sourceTotal)),
    hosts: of('host')
      .map((row) => ({
        ...sourceTotal(row),
        host: row.host,
        place: Number(row.place),
        placeInList: Number(row.placeInList),
      }))
      .sort((one, other) => one.place - other.place),
    permitted: mostFirst(of('permitted').map((row) => ({ ...sourceTotal(row), permitted: row.host }))),
  }
}

interface StopRow extends Raw<SourceTotal> {
  readonly kind: 'source' | 'host' | 'permitted'
  /** Of a permission, as it names the host. */
  readonly host: string
  readonly place: number | string
  readonly placeInList: number | string
}

/** As a table of text. */
export function rowsOf(rows: readonly (readonly string[])[]): RawBuilder<unknown> {
  return sql`values ${sql.join(rows.map((row) => sql`(${sql.join(row)})`))}`
}

const SOURCE = sql`rule_name as rule, nullif(category, '') as category, nullif(list_name, '') as list`

function sourceTotal({ rule, category, list, requests }: Raw<SourceTotal>): SourceTotal {
  return { rule, category, list, requests: Number(requests) }
}

function inPeriod({ since, until }: Period) {
  return sql`hour >= ${since} and hour < ${until}`
}
