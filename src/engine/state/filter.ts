// What an administrator selects of sessions and lockouts.
import { type RawBuilder, sql } from 'kysely'

/** Selects what matches all of its members; an empty filter selects everything. */
export interface StateFilter {
  readonly rule?: string | undefined
  readonly user?: string | undefined
  /** An address, or for lockouts the /64 of an IPv6 address. */
  readonly client?: string | undefined
}

/** The condition for the rows that the filter selects. @param clientColumn where a client is, after this prefix */
export function isSelected(
  { rule, user, client }: StateFilter,
  clientColumn: 'client_address' | 'holder',
  prefix = '',
): RawBuilder<boolean> {
  const equals = [
    ['rule_name', rule],
    ['holder', user === undefined ? undefined : `user ${user}`],
    [clientColumn, client === undefined ? undefined : `${prefix}${client}`],
  ] as const
  const conditions = equals.flatMap(([column, value]) =>
    value === undefined ? [] : [sql`${sql.ref(column)} = ${value}`],
  )
  return conditions.length === 0 ? sql<boolean>`1 = 1` : sql<boolean>`(${sql.join(conditions, sql` and `)})`
}
