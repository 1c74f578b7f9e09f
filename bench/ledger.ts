// Recorded acknowledgements per second, compared with the cost of one durable commit on the same disk. The storages
// alternate, because a disk's speed changes from minute to minute.
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { type EngineProcess, startEngineProcess } from '../test/support/engine-process.ts'
import { load } from '../test/support/load/load.ts'
import { type PostgresServer, queryPostgres, startPostgres } from '../test/support/postgres-server.ts'
import { type Cores, cpuSeconds, findCores, pin } from '../test/support/processes.ts'
import { type Server, startServer } from '../test/support/servers.ts'
import { contender } from './contenders.ts'
import { type Durations, fileWrites, postgresCommits, sqliteCommits } from './durable-commits.ts'
import { COMMAND, type LedgerOptions, readLedgerOptions, USAGE } from './ledger-options.ts'
import { type LedgerRound, ledgerFaults, ledgerFigures, ledgerRatios, type MeasuredStorage } from './ledger-report.ts'
import { portalVariables } from './portal-variables.ts'
import { commit, writeIntoDocument } from './record.ts'
import { acknowledgements, requestBytes } from './requests.ts'

interface Storage extends MeasuredStorage {
  readonly rounds: LedgerRound[]
  readonly portal: Server
  readonly measureCommits: () => Promise<Durations>
}

/** More than a portal can record. */
const MAX_PER_SECOND = 1_200
const WARM_UP_SECONDS = 3

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

try {
  const options = readLedgerOptions(process.argv.slice(2))
  process.stdout.write(options === undefined ? USAGE : await bench(options), () => process.exit())
} catch (error) {
  log((error as Error).message)
  process.exit(1)
}

/** Runs everything. @returns the Markdown */
async function bench(options: LedgerOptions): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const cores = findCores()
  if (cores !== undefined) pin(process.pid, cores.load)
  const conditions = circumstances(options, cores)
  const engine = await startEngineProcess(folder)
  if (cores !== undefined) pin(engine.pid, cores.load)
  const { DATABASE_URL } = process.env
  const server: PostgresServer | undefined = DATABASE_URL === undefined ? await startPostgres({}) : undefined
  const postgresUrl = new URL(server?.url ?? (DATABASE_URL as string))
  const database = `ledger_bench_${process.pid}`
  await queryPostgres(postgresUrl.href, `create database ${database}`)
  const databaseUrl = new URL(postgresUrl)
  databaseUrl.pathname = database

  const { seconds, connections } = options
  const storages: Storage[] = [
    {
      name: 'SQLite',
      portal: await startPortal('SQLite', `sqlite:///${join(folder, 'portal.db')}`, engine, cores),
      measureCommits: () => sqliteCommits(folder, seconds / 2),
      rounds: [],
    },
    {
      name: 'PostgreSQL',
      portal: await startPortal('PostgreSQL', databaseUrl.href, engine, cores),
      measureCommits: () => postgresCommits(databaseUrl.href, seconds / 2),
      rounds: [],
    },
  ]
  let visitors = 0
  const run = async ({ name, portal }: Storage, atOnce: number, seconds: number) => {
    const queries: string[] = []
    const wanted = seconds * MAX_PER_SECOND * (atOnce === 1 ? 0.5 : 1)
    while (queries.length < wanted) {
      const clients = Array.from({ length: 32 }, () => clientAddress(visitors++))
      queries.push(...(await Promise.all(clients.map((client) => engine.issue('social.localhost', client)))))
    }
    const requests = acknowledgements(queries).map(requestBytes)
    const plan = { connections: atOnce, seconds, sharesCore: true }
    const { target } = contender(`the portal with ${name}`, [portal], requests, { status: 302 })
    const { responses, seconds: taken, latency } = await load(target, plan)
    return { rate: responses / taken, durations: latency }
  }

  log('warming up')
  for (const storage of storages) await run(storage, connections, WARM_UP_SECONDS)
  for (let round = 1; round <= options.rounds; round++) {
    for (const storage of storages) {
      log(`round ${round} of ${options.rounds}: ${storage.name}`)
      const disk = await fileWrites(folder, seconds / 2)
      const commit = await storage.measureCommits()
      const alone = await run(storage, 1, seconds)
      const { pid } = storage.portal
      const cpuBefore = cpuSeconds(pid)
      const together = await run(storage, connections, seconds)
      const cpu = ((cpuSeconds(pid) - cpuBefore) / together.durations.count) * 1000
      storage.rounds.push({ disk, commit, alone, together, cpu })
    }
  }
  const measured = [ledgerFigures(storages, connections), ledgerRatios(storages, connections)]
  const result = [conditions, ...measured].join('\n')
  for (const fault of ledgerFaults(storages)) {
    log(`too slow: ${fault}`)
    process.exitCode = 1
  }
  if (options.write) writeIntoDocument(COMMAND, result)
  await engine.stop()
  await queryPostgres(postgresUrl.href, `drop database ${database} with (force)`)
  await server?.remove()
  return result
}

async function startPortal(
  storage: string,
  databaseUrl: string,
  engine: EngineProcess,
  cores: Cores | undefined,
): Promise<Server> {
  const environment = (port: number) => portalVariables(engine, port, databaseUrl)
  return await startServer(
    { name: `the portal with ${storage}`, words: () => ['src/portal/main.ts'], environment },
    cores,
  )
}

/** A different address for each verdict: clients with a session get none. */
function clientAddress(visitor: number): string {
  return `10.${(visitor >> 16) & 255}.${(visitor >> 8) & 255}.${visitor & 255}`
}

/** Call it before the first run: it includes the load average. */
function circumstances({ seconds, rounds, connections }: LedgerOptions, cores: Cores | undefined): string {
  const pinned = cores
    ? 'the portal pinned to one core, engine and load to another'
    : 'without two cores or `taskset`: nothing is pinned, the figures are rough'
  return `- Date: ${new Date().toISOString().slice(0, 10)}; commit: ${commit()}; Node ${process.version}
- Machine: ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}; ${pinned}; load average before: ${loadavg()[0]?.toFixed(1)}
- Command: \`${COMMAND} --seconds ${seconds} --rounds ${rounds} --connections ${connections}\`
`
}

function log(text: string): void {
  process.stderr.write(`${text}\n`)
}
