// npm run check -- ledger: never a session without a record, while portals are killed under load.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEngineProcess } from '../../test/support/engine-process.ts'
import { queryPostgres, startPostgres } from '../../test/support/postgres-server.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { type Portals, startPortals } from './portals.ts'
import { type Acceptance, type Attempt, DIFFERENCES, type Reconciliation, reconcile } from './reconcile.ts'
import { type CrowdResult, sendVisitors } from './visitors.ts'

interface Storage {
  readonly name: string
  readonly url: string
  readonly portals: number
  read(sql: string): Promise<Record<string, unknown>[]>
  remove(): Promise<void>
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

try {
  const options = readOptions(process.argv.slice(2))
  process.exitCode = options === undefined ? print(USAGE) : await runFaults(options)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}

async function runFaults(options: Options): Promise<number> {
  let status = 0
  for (const database of options.databases) {
    const folder = mkdtempSync(join(tmpdir(), 'portal-chaos-'))
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    const storage = await (database === 'postgres' ? openPostgres() : openSqlite(folder))
    try {
      if (!(await runWithKills(storage, options, folder))) status = 1
    } finally {
      await storage.remove()
    }
  }
  return status
}

/** @returns whether every session is on record */
async function runWithKills(storage: Storage, options: Options, folder: string): Promise<boolean> {
  const { seconds, rate, killEvery } = options
  const processes = storage.portals === 1 ? 'one portal' : `${storage.portals} portals`
  print(`\n${storage.name}, ${processes}: ${rate} visitors a second for ${seconds} s, a kill -9 every ${killEvery} s\n`)
  const engine = await startEngineProcess(folder)
  const environment = {
    ...engine.portalVariables,
    GATEWAY_CAPTIVE_DATABASE_URL: storage.url,
    GATEWAY_CAPTIVE_SECRET_KEY: randomBytes(32).toString('base64url'),
  }
  const portals = await startPortals(storage.portals, environment, folder)
  const killing = killInTurn(portals, options)
  const crowd = await sendVisitors({ engine, ports: portals.ports, seconds, rate })
  const kills = await killing
  await portals.stop()

  const log = await engine.stop()
  const acceptances = await storage.read('select jti as reference, state from acceptance')
  const attempts = await storage.read('select jti as reference, engine_status as "engineStatus" from attempt')
  const result = reconcile(log, acceptances as unknown as Acceptance[], attempts as unknown as Attempt[])
  return report(crowd, kills, result)
}

/** @returns the number of kills */
async function killInTurn(portals: Portals, { seconds, killEvery }: Options): Promise<number> {
  const endAt = performance.now() + seconds * 1000
  for (let kills = 0; ; kills++) {
    await sleep(killEvery * 1000)
    if (performance.now() >= endAt) return kills
    await portals.killAndRestart(kills % portals.ports.length)
  }
}

function report(crowd: CrowdResult, kills: number, result: Reconciliation): boolean {
  const { visitors, passed, refused, left, latency } = crowd
  const milliseconds = (percentile: number) => `${(latency.percentile(percentile) / 1000).toFixed(0)} ms`
  const list = (counts: Iterable<readonly [string, number]>) => [...counts].map((pair) => pair.join(': ')).join(', ')
  const figures: [string, unknown][] = [
    ['visitors', `${visitors} (passed: ${passed}, refused: ${refused}, left: ${left})`],
    ['requests', list([...crowd.requests].sort())],
    ['response time', `p50 ${milliseconds(50)}, p99 ${milliseconds(99)}`],
    ['kills', kills],
    ['sessions', result.sessions],
    ['rows', `${result.rows} (${list(Object.entries(result.rowsByState))})`],
    ['pending rows with an engine 302', result.unrecorded],
    ...DIFFERENCES.map((name): [string, number] => [name, result.differences[name].length]),
  ]
  for (const [name, value] of figures) print(`  ${name.padEnd(46)}${value}\n`)
  const wrong = DIFFERENCES.filter((name) => result.differences[name].length > 0)
  for (const name of wrong) print(`  ${name}: ${result.differences[name].slice(0, 10).join(' ')}\n`)
  // With too few acknowledgements the run proves nothing.
  const isProof = kills > 0 && passed > visitors / 2 && result.sessions >= passed
  if (!isProof) print('  too few acknowledgements, or no portal was killed: no proof\n')
  print(wrong.length === 0 && isProof ? '  every session is on record\n' : '  FAILED\n')
  return wrong.length === 0 && isProof
}

async function openPostgres(): Promise<Storage> {
  const { DATABASE_URL } = process.env
  const server = DATABASE_URL === undefined ? await startPostgres({}) : undefined
  const serverUrl = server?.url ?? (DATABASE_URL as string)
  const database = `ledger_chaos_${process.pid}`
  await queryPostgres(serverUrl, `create database ${database}`)
  const url = new URL(serverUrl)
  url.pathname = database
  return {
    name: 'PostgreSQL',
    url: url.href,
    portals: 2,
    read: (sql) => queryPostgres(url.href, sql),
    async remove() {
      await queryPostgres(serverUrl, `drop database ${database} with (force)`)
      await server?.remove()
    },
  }
}

async function openSqlite(folder: string): Promise<Storage> {
  const path = join(folder, 'portal.db')
  return {
    name: 'SQLite',
    url: `sqlite:///${path}`,
    portals: 1,
    async read(sql) {
      using database = new DatabaseSync(path)
      return database.prepare(sql).all()
    },
    async remove() {},
  }
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}
