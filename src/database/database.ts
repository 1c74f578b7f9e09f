// Connects to a database in either dialect.
import { type AccessMode, Kysely } from 'kysely'
import type { DatabaseLocation } from '../settings/sections/database.ts'
import { postgresDialect } from './postgres.ts'
import { sqliteDialect } from './sqlite.ts'
import type { TimeLimit } from './transactions.ts'

/**
 * Connects at the first transaction.
 * @param access `read only` opens an SQLite file without creating or changing it; on PostgreSQL each transaction sets it
 * @param connections on PostgreSQL, at most
 */
export function connect<Tables>(
  location: DatabaseLocation,
  limit: TimeLimit,
  access: AccessMode = 'read write',
  connections?: number,
): Kysely<Tables> {
  const dialect =
    location.dialect === 'sqlite'
      ? sqliteDialect(location.path, limit, access)
      : postgresDialect(location.server, limit, connections)
  return new Kysely({ dialect })
}
