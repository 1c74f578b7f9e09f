// The ledger's location, and the connection to it in either dialect.
import { type AccessMode, Kysely } from 'kysely'
import { postgresDialect } from './postgres.ts'
import type { LedgerTables } from './schema.ts'
import { sqliteDialect } from './sqlite.ts'
import type { TimeLimit } from './time-limit.ts'

export type LedgerLocation =
  | { readonly dialect: 'sqlite'; readonly path: string }
  | { readonly dialect: 'postgres'; readonly url: string }

/**
 * Connects at the first transaction.
 * @param access `read only` opens an SQLite file without creating or changing it; on PostgreSQL each transaction sets it
 */
export function connect(
  location: LedgerLocation,
  limit: TimeLimit,
  access: AccessMode = 'read write',
): Kysely<LedgerTables> {
  const dialect =
    location.dialect === 'sqlite' ? sqliteDialect(location.path, limit, access) : postgresDialect(location.url, limit)
  return new Kysely({ dialect })
}
