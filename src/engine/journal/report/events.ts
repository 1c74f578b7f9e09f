// What visitors and administrators did in a period: rows of the state's `engine_event`.
import { sql, type Transaction } from 'kysely'
import type { StateTables } from '../../state/schema.ts'
import type { Period } from './period.ts'

export type StateTransaction = Transaction<StateTables>

export interface EventCount {
  readonly event: string
  readonly outcome: string | null
  readonly rule: string | null
  readonly switch: string | null
  readonly events: number
}

/** Permissions for a host. */
export interface Granted {
  /** With a dot before it, all below it, too. */
  readonly host: string
  readonly granted: number
}

export interface Accepted {
  readonly reference: string
  readonly rule: string | null
}

/** Each has a rule or a switch of the policy, or one that a policy of the period had. */
const MAXIMUM_COUNTS = 5_000

export async function countEvents(transaction: StateTransaction, period: Period): Promise<readonly EventCount[]> {
  const { rows } = await sql<Omit<EventCount, 'events'> & { readonly events: number | string }>`
    select event, outcome, rule_name as rule, switch_name as switch, count(*) as events from engine_event
    where ${inPeriod(period)} group by event, outcome, rule_name, switch_name order by events desc limit ${MAXIMUM_COUNTS}
  `.execute(transaction)
  return rows.map((row) => ({ ...row, events: Number(row.events) }))
}

/** Most first. */
export async function grantedByHost(
  transaction: StateTransaction,
  period: Period,
  limit: number,
): Promise<readonly Granted[]> {
  const { rows } = await sql<{ readonly host: string; readonly granted: number | string }>`
    select host, count(*) as granted from engine_event
    where ${inPeriod(period)} and event = 'permission.granted' and host is not null
    group by host order by granted desc, host limit ${limit}
  `.execute(transaction)
  return rows.map(({ host, granted }) => ({ host, granted: Number(granted) }))
}

/** The newest first. */
export async function acceptedReferences(
  transaction: StateTransaction,
  period: Period,
  limit: number,
): Promise<readonly Accepted[]> {
  const { rows } = await sql<Accepted>`
    select reference, rule_name as rule from engine_event
    where ${inPeriod(period)} and event = 'acknowledgement' and outcome = 'accepted' and reference is not null
    order by at desc limit ${limit}
  `.execute(transaction)
  return rows
}

function inPeriod({ since, until }: Period) {
  return sql`at >= ${since} and at < ${until}`
}
