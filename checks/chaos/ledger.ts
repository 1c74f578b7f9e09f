// Never a session without a record, while portals are killed under load: two portals on one PostgreSQL, then one with SQLite.
// Afterwards the engine's log is compared with the ledger.
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEngineProcess } from '../../test/support/engine-process.ts'
import { listed } from '../../test/support/load/load.ts'
import { noPostgres, queryPostgres, startPostgres } from '../../test/support/postgres-server.ts'
import { Findings } from './findings.ts'
import { type Portals, startPortals } from './portals.ts'
import { type Acceptance, type Attempt, DIFFERENCES, reconcile } from './reconcile.ts'
import { runScenario, type ScenarioOptions } from './scenario.ts'
import { sendVisitors } from './visitors.ts'

interface Storage {
  readonly name: string
  readonly url: string
  readonly portals: number
  read(sql: string): Promise<Record<string, unknown>[]>
}

await runScenario({
  lacks: noPostgres || undefined,
  async run(options) {
    const findings = new Findings()
    for (const open of [openPostgres, openSqlite]) await runWithKills(await open(options), options, findings)
    return findings
  },
})

async function runWithKills(storage: Storage, options: ScenarioOptions, findings: Findings): Promise<void> {
  const [seconds, rate, killEvery] = options.isShort ? [8, 60, 2] : [30, 200, 5]
  const folder = join(options.folder, storage.name)
  mkdirSync(folder)
  const engine = await startEngineProcess(folder)
  options.after(() => engine.stop())
  const environment = {
    ...engine.portalVariables,
    GATEWAY_CAPTIVE_DATABASE_URL: storage.url,
    GATEWAY_CAPTIVE_SECRET_KEY: randomBytes(32).toString('base64url'),
  }
  const portals = await startPortals(storage.portals, environment, folder)
  options.after(() => portals.stop())
  const killing = killInTurn(portals, seconds, killEvery)
  const crowd = await sendVisitors({ engine, ports: portals.ports, seconds, rate })
  const kills = await killing
  await portals.stop()

  const log = await engine.stop()
  const acceptances = await storage.read('select jti as reference, state from acceptance')
  const attempts = await storage.read('select jti as reference, engine_status as "engineStatus" from attempt')
  const result = reconcile(log, acceptances as unknown as Acceptance[], attempts as unknown as Attempt[])
  const { visitors, passed, refused, left, latency } = crowd
  const [p50, p99] = [50, 99].map((percentile) => (latency.percentile(percentile) / 1000).toFixed(0))
  findings.figure(
    storage.name,
    `${rate} visitors a second for ${seconds} s, ${kills} kills of ${storage.portals} portals`,
  )
  findings.figure('  visitors', `${visitors} (passed: ${passed}, refused: ${refused}, left: ${left})`)
  findings.figure('  requests', `${listed(crowd.requests)}; p50 ${p50} ms, p99 ${p99} ms`)
  const states = listed(new Map(Object.entries(result.rowsByState)))
  findings.figure('  sessions, rows', `${result.sessions}, ${result.rows} (${states})`)
  findings.figure('  pending rows with an engine 302', result.unrecorded)
  for (const name of DIFFERENCES) {
    const found = result.differences[name]
    findings.expect(found.length === 0, `${storage.name}: ${name}: ${found.slice(0, 10).join(' ')}`)
  }
  // With too few acknowledgements the run proves nothing.
  const isProof = kills > 0 && passed > visitors / 2 && result.sessions >= passed
  findings.expectInTime(isProof, `${storage.name}: too few acknowledgements, or no portal was killed: no proof`)
}

/** @returns the number of kills */
async function killInTurn(portals: Portals, seconds: number, killEvery: number): Promise<number> {
  const endAt = performance.now() + seconds * 1000
  for (let kills = 0; ; kills++) {
    await sleep(killEvery * 1000)
    if (performance.now() >= endAt) return kills
    await portals.killAndRestart(kills % portals.ports.length)
  }
}

async function openPostgres({ after }: ScenarioOptions): Promise<Storage> {
  const server = await startPostgres({})
  after(() => server.remove())
  return { name: 'PostgreSQL', url: server.url, portals: 2, read: (sql) => queryPostgres(server.url, sql) }
}

async function openSqlite({ folder }: ScenarioOptions): Promise<Storage> {
  const path = join(folder, 'portal.db')
  return {
    name: 'SQLite',
    url: `sqlite:///${path}`,
    portals: 1,
    async read(sql) {
      using database = new DatabaseSync(path)
      return database.prepare(sql).all()
    },
  }
}
