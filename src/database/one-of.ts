// A condition with any number of values.
import { type RawBuilder, sql } from 'kysely'
import type { DatabaseLocation } from '../settings/sections/database.ts'

/** As one parameter: databases limit how many a statement may have. PostgreSQL would compare each row with a whole table of them. */
export function isOneOf(
  dialect: DatabaseLocation['dialect'],
  column: string,
  values: readonly string[],
): RawBuilder<boolean> {
  return dialect === 'postgres'
    ? sql<boolean>`${sql.ref(column)} = any(cast(${values} as text[]))`
    : sql<boolean>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(values)}))`
}
