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
export interface PermittedTotal extends SourceTotal {
  readonly permitted: string
}

/** A host as permissions name it: with a dot before it, all below it, too. */
export type HostLabel = string

/** Of a policy with rules for many groups and lists: the largest. */
const MAXIMUM_SOURCES = 5_000

type Raw<Row> = { readonly [Key in keyof Row]: Row[Key] extends number ? number | string : Row[Key] }

export async function totalsByHour(transaction: JournalTransaction, period: Period): Promise<readonly HourTotal[]> {
  const { rows } = await sql<Raw<HourTotal>>`
    select hour, verdict, sum(requests) as requests from journal_total where ${inPeriod(period)} group by hour, verdict
  `.execute(transaction)
  return rows.map(({ hour, verdict, requests }) => ({ hour: Number(hour), verdict, requests: Number(requests) }))
}

/** Of stopped requests, most first. */
export async function totalsBySource(transaction: JournalTransaction, period: Period): Promise<readonly SourceTotal[]> {
  const { rows } = await sql<Raw<SourceTotal>>`
    select ${SOURCE}, sum(requests) as requests from journal_total where ${isStopped(period)}
    group by rule_name, category, list_name order by requests desc, rule, category, list limit ${MAXIMUM_SOURCES}
  `.execute(transaction)
  return rows.map(sourceTotal)
}

/** The hosts that were stopped most, and those of each list. */
export async function totalsByHost(
  transaction: JournalTransaction,
  period: Period,
  { top, ofEachList }: { readonly top: number; readonly ofEachList: number },
): Promise<readonly HostTotal[]> {
  const { rows } = await sql<Raw<HostTotal>>`
    with by_host as (
      select rule_name, category, list_name, host, sum(requests) as requests from journal_total
      where ${isStopped(period)} and host <> '' group by rule_name, category, list_name, host
    ), ranked as (
      select by_host.*, row_number() over (order by requests desc, host, rule_name, list_name) as place,
        row_number() over (partition by list_name order by requests desc, host, rule_name) as place_in_list
      from by_host
    )
    select ${SOURCE}, host, requests, place, place_in_list as "placeInList" from ranked
    where place <= ${top} or (list_name <> '' and place_in_list <= ${ofEachList}) order by place
  `.execute(transaction)
  return rows.map((row) => ({
    ...sourceTotal(row),
    host: row.host,
    place: Number(row.place),
    placeInList: Number(row.placeInList),
  }))
}

/** Stopped requests for these hosts, and for hosts below those with a dot before them. */
export async function totalsOfHosts(
  transaction: JournalTransaction,
  period: Period,
  labels: readonly HostLabel[],
): Promise<readonly PermittedTotal[]> {
  if (labels.length === 0) return []
  const { rows } = await sql<Raw<PermittedTotal>>`
    with by_host as materialized (
      select rule_name, category, list_name, host, sum(requests) as requests from journal_total
      where ${isStopped(period)} and host <> '' group by rule_name, category, list_name, host
    ), label (label) as (${rowsOf(labels.map((label) => [label]))}), permitted as (
      select label, rule_name, category, list_name, requests from by_host join label on host = ltrim(label, '.')
      union all
      select label, rule_name, category, list_name, requests from by_host join label
        on substr(label, 1, 1) = '.' and substr(host, length(host) - length(label) + 1) = label
    )
    select ${SOURCE}, label as permitted, sum(requests) as requests from permitted
    group by label, rule_name, category, list_name order by requests desc, rule, list, label limit ${MAXIMUM_SOURCES}
  `.execute(transaction)
  return rows.map((row) => ({ ...sourceTotal(row), permitted: row.permitted }))
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

function isStopped(period: Period) {
  return sql`${inPeriod(period)} and verdict <> 'allow'`
}
