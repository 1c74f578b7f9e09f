// PostgreSQL for Kysely: a bounded pool with a time limit for every transaction, even if the server stops responding. All
// settings are made inside the transaction, so that they work behind PgBouncer.
import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import type { ClientConfig, Pool, PoolClient } from 'pg'
import { parsePostgresUrl } from '../settings/sections/postgres-url.ts'
import { tlsOptions } from './postgres-tls.ts'
import { CUT_OFF, type TimeLimit } from './time-limit.ts'

const CONNECTIONS = 10

interface Connection extends DatabaseConnection {
  readonly client: PoolClient
  /** It is closed instead of reused. */
  broken: boolean
  readonly release: () => void
}

/** @param url as libpq and SQLAlchemy write it */
export function postgresDialect(url: string, limit: TimeLimit): Dialect {
  return {
    createAdapter: () => new UnlockedPostgresAdapter(),
    createDriver: () => postgresDriver(url, limit),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

/** Migrations take their own lock. */
class UnlockedPostgresAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

function postgresDriver(url: string, limit: TimeLimit): Driver {
  let pool: Pool
  return {
    async init() {
      pool = await openPool(url)
    },
    acquireConnection: () => acquire(pool, limit),
    async beginTransaction(connection: Connection, settings: TransactionSettings) {
      try {
        await connection.client.query(begin(limit.milliseconds, settings))
      } catch (error) {
        connection.broken = true
        throw error
      }
    },
    async commitTransaction({ client }: Connection) {
      const { command } = await client.query('commit')
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed')
    },
    async rollbackTransaction(connection: Connection) {
      // The error that led here is reported instead.
      await connection.client.query('rollback').catch(() => {
        connection.broken = true
      })
    },
    async releaseConnection(connection: Connection) {
      connection.release()
    },
    destroy: () => pool.end(),
  }
}

async function openPool(url: string): Promise<Pool> {
  // Loaded on demand: with SQLite it would waste memory.
  const { default: pg } = await import('pg')
  const { GuardedClient } = await import('./postgres-client.ts')
  const server = parsePostgresUrl(url)
  const options: ClientConfig = {
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
  }
  const pool = new pg.Pool({
    ...options,
    Client: GuardedClient,
    max: CONNECTIONS,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  })
  // A broken idle connection is replaced; a broken busy one fails its query.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
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

async function acquire(pool: Pool, limit: TimeLimit): Promise<Connection> {
  const cutOffAt = performance.now() + limit.milliseconds + CUT_OFF
  const client = await pool.connect()
  const timer = setTimeout(() => void client.end().catch(() => {}), cutOffAt - performance.now())
  const connection: Connection = {
    client,
    broken: false,
    release() {
      clearTimeout(timer)
      client.release(connection.broken)
    },
    async executeQuery({ sql, parameters }) {
      const { rows, rowCount } = await client.query(sql, [...parameters])
      return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
    },
    streamQuery() {
      throw new Error('streaming is not supported')
    },
  }
  return connection
}
