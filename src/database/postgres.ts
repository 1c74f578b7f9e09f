// PostgreSQL for Kysely: a bounded pool, and a time limit for every transaction, even if the server stops responding. All
// settings are made inside the transaction, so that they work behind PgBouncer.
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  type PostgresPool,
  PostgresQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import type { PostgresServer } from '../settings/sections/postgres-url.ts'
import { tlsOptions } from './postgres-tls.ts'
import { ABORT_AFTER_LIMIT_MS, type TimeLimit } from './transactions.ts'

const CONNECTIONS = 10
const IDLE_TIMEOUT_MS = 30_000

export function postgresDialect(server: PostgresServer, limit: TimeLimit, connections = CONNECTIONS): Dialect {
  return {
    createAdapter: () => new UnlockedPostgresAdapter(),
    createDriver: () => new LimitedPostgresDriver(server, limit, connections),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

/** Migrations take their own lock: Kysely's is the session's, which PgBouncer may never release. */
class UnlockedPostgresAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

type RolledBack = Parameters<PostgresDriver['rollbackTransaction']>[0]

class LimitedPostgresDriver extends PostgresDriver {
  readonly #limit: TimeLimit

  constructor(server: PostgresServer, limit: TimeLimit, connections: number) {
    super({ pool: () => openPool(server, limit, connections) })
    this.#limit = limit
  }

  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    try {
      await connection.executeQuery(CompiledQuery.raw(begin(this.#limit.milliseconds, settings)))
    } catch (error) {
      // Kysely only rolls back what has begun, and the pool would reuse the connection.
      await this.rollbackTransaction(connection as RolledBack)
      throw error
    }
  }

  /** The error that led here is reported, and the connection is closed instead of reused. */
  override async rollbackTransaction(connection: RolledBack): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => {})
  }
}

async function openPool(server: PostgresServer, limit: TimeLimit, connections: number): Promise<PostgresPool> {
  // Loaded on demand: with SQLite it would waste memory.
  const { default: pg } = await import('pg')
  const { GuardedClient } = await import('./postgres-client.ts')
  const pool = new pg.Pool({
    host: server.host,
    port: server.port,
    database: server.database,
    ...(server.user !== undefined && { user: server.user }),
    ...(server.password !== undefined && { password: server.password }),
    ...(server.applicationName !== undefined && { application_name: server.applicationName }),
    ...(server.options !== undefined && { options: server.options }),
    // Set in any case: otherwise PGSSLMODE would decide.
    ssl: tlsOptions(server),
    connectionTimeoutMillis: server.connectTimeout,
    Client: GuardedClient,
    max: connections,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
  })
  // A broken idle connection is replaced; a broken busy one fails its query.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const abortAt = performance.now() + limit.milliseconds + ABORT_AFTER_LIMIT_MS
      const client = await pool.connect()
      const timer = setTimeout(() => void client.end().catch(() => {}), abortAt - performance.now())
      // The pool creates it for each use.
      const { release } = client
      client.release = (isBroken) => {
        clearTimeout(timer)
        release(isBroken)
      }
      return client
    },
  }
}

function begin(milliseconds: number, { isolationLevel, accessMode }: TransactionSettings): string {
  return [
    `begin isolation level ${isolationLevel ?? 'read committed'} ${accessMode ?? 'read write'}`,
    `set local statement_timeout = ${milliseconds}`,
    // Releases the row if the program stops in the middle.
    `set local idle_in_transaction_session_timeout = ${milliseconds * 2}`,
    `select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'`,
  ].join('; ')
}
