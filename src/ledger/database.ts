// Where the ledger lies, and the connection to it in either dialect.
import { Kysely } from 'kysely'
import { postgresDialect } from './postgres.ts'
import type { LedgerTables } from './schema.ts'
import { sqliteDialect } from './sqlite.ts'
import type { TimeLimit } from './time-limit.ts'

export type LedgerLocation =
  | { readonly dialect: 'sqlite'; readonly path: string }
  | { readonly dialect: 'postgres'; readonly url: string }

/** Opens nothing yet: the first transaction does. */
export function connect(location: LedgerLocation, limit: TimeLimit): Kysely<LedgerTables> {
  const dialect =
    location.dialect === 'sqlite' ? sqliteDialect(location.path, limit) : postgresDialect(location.url, limit)
  return new Kysely({ dialect })
}
