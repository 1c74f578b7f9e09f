// What an administrator selects of sessions and lockouts.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import { isOneOf } from '../../database/one-of.ts'
import { type AddressRange, containsRange, parseAddressRange } from '../../network/address-range.ts'
import { startTurn } from '../event-loop.ts'
import type { StateTables } from './schema.ts'
import type { StateDatabase } from './state-database.ts'

/** Selects what matches all of its members; an empty filter selects everything. */
export interface StateFilter {
  readonly rule?: string | undefined
  readonly user?: string | undefined
  /** An address, or for lockouts the /64 of an IPv6 address. */
  readonly client?: string | undefined
  /** The client is in one of them. */
  readonly networks?: readonly AddressRange[] | undefined
  /** Whose networks they are, for the journal. */
  readonly room?: string | undefined
}

/** Where a client is in the table: in this column, after this prefix. */
interface ClientColumn {
  readonly table: 'engine_session' | 'engine_attempt'
  readonly column: 'client_address' | 'holder'
  readonly prefix: string
}

/** The condition for the rows that the filter selects. */
export async function selectionOf(
  transaction: Transaction<StateTables>,
  dialect: StateDatabase['dialect'],
  { rule, user, client, networks }: StateFilter,
  { table, column, prefix }: ClientColumn,
): Promise<RawBuilder<boolean>> {
  const equals = [
    ['rule_name', rule],
    ['holder', user === undefined ? undefined : `user ${user}`],
    [column, client === undefined ? undefined : `${prefix}${client}`],
  ] as const
  const conditions = equals.flatMap(([column, value]) =>
    value === undefined ? [] : [sql`${sql.ref(column)} = ${value}`],
  )
  if (networks !== undefined) {
    const { rows } = await sql<{ value: string }>`
      select distinct ${sql.ref(column)} as value from ${sql.table(table)}
    `.execute(transaction)
    const turn = startTurn()
    const inside: string[] = []
    for (const { value } of rows) {
      if (turn.isOver()) await turn.next()
      if (value.startsWith(prefix) && isInside(value.slice(prefix.length), networks)) inside.push(value)
    }
    conditions.push(isOneOf(dialect, column, inside))
  }
  return conditions.length === 0 ? sql<boolean>`1 = 1` : sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

/** What was selected, for an event. */
export function eventScope({ rule, user, client, room }: StateFilter) {
  return { rule_name: rule ?? null, user_name: user ?? null, client: client ?? null, room_name: room ?? null }
}

/** Of the /64 of a lockout, a part suffices. */
function isInside(text: string, networks: readonly AddressRange[]): boolean {
  const client = parseAddressRange(text)
  if (client === undefined) return false
  return networks.some((network) => containsRange(network, client) || containsRange(client, network))
}
