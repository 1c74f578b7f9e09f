// What the engine remembers, while engines are killed under load and PostgreSQL stops and returns: no session without an
// acknowledgement, none lost after its 302, never a guess more than allowed, and an event for each of them.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureKeyFile } from '../../src/engine/state/key-file.ts'
import { openState } from '../../src/engine/state/open-state.ts'
import type { DatabaseLocation } from '../../src/settings/sections/database.ts'
import {
  noPostgres,
  type PostgresServer,
  postgresLocation,
  postgresUrl,
  queryPostgres,
  startPostgres,
} from '../../test/support/postgres-server.ts'
import { until } from '../../test/support/until.ts'
import { ATTEMPTS, type Crowd, createCrowd, RIGHT_CODE } from './engine-crowd.ts'
import { type Engines, startEngines } from './engines.ts'
import { Findings } from './findings.ts'
import { runScenario, type ScenarioOptions } from './scenario.ts'

const RULES = `
[[rules]]
name = "news"
match = ["news.example"]
action = "warn"
[[rules]]
name = "lab"
match = ["lab.example"]
action = "aup"
override = { type = "pin", code = "${RIGHT_CODE}", attempts = ${ATTEMPTS}, lockout_seconds = 3600 }
`
const FOLLOW_MS = 1_000
const RECOVERY_SECONDS = 8

await runScenario({
  lacks: noPostgres || undefined,
  async run(options) {
    const findings = new Findings()
    const path = join(options.folder, 'state.db')
    await killUnderLoad('SQLite, one engine', { dialect: 'sqlite', path }, `sqlite:///${path}`, 1)
    const server = await startPostgres({})
    options.after(() => server.remove())
    await killUnderLoad('PostgreSQL, two engines', postgresLocation(server.url), server.url, 2, server)
    return findings

    async function killUnderLoad(
      name: string,
      location: DatabaseLocation,
      url: string,
      count: number,
      postgres?: PostgresServer,
    ): Promise<void> {
      const folder = join(options.folder, location.dialect)
      mkdirSync(folder)
      const engines = await startEngines(count, url, RULES, folder)
      try {
        const crowd = createCrowd(engines)
        const kills = await keepKilling(engines, crowd, options)
        await judge(findings, name, engines, crowd, kills, location)
        if (count > 1) await judgeEnding(findings, engines, location)
        if (postgres !== undefined) await stopDatabase(findings, engines, postgres)
        for (let engine = 0; engine < count; engine++) {
          const words = engines.lastWords(engine)
          findings.expect(words === undefined, `${name}: an engine has ended: ${words}`)
        }
      } finally {
        await engines.stop()
      }
    }
  },
})

/** How often an engine was killed. */
async function keepKilling(engines: Engines, crowd: Crowd, { isShort }: ScenarioOptions): Promise<number> {
  const until = performance.now() + (isShort ? 8_000 : 15_000)
  const coming = crowd.come(() => performance.now() < until)
  let kills = 0
  for (; performance.now() < until; kills++) {
    await sleep(1_500)
    await engines.killAndRestart(kills % engines.count)
  }
  await coming
  return kills
}

async function judge(
  findings: Findings,
  name: string,
  engines: Engines,
  crowd: Crowd,
  kills: number,
  location: DatabaseLocation,
): Promise<void> {
  const { passed, asked, silent, statuses, guesses } = crowd
  const rows = await readSessions(location)
  const counts = [...statuses].map(([status, count]) => `${status || 'broken'}: ${count}`).sort()
  findings.figure(name, `${kills} kills; acknowledgements ${counts.join(', ')}`)
  findings.figure('  sessions, visitors with a 302', `${rows.length}, ${passed.length}`)
  findings.figure('  guessers, wrong codes compared', `${guesses.size}, ${[...guesses.values()].flat().length}`)
  findings.expect(kills > 0 && passed.length > 50 && guesses.size > 3, 'too few acknowledgements or kills: no proof')
  const unasked = rows.filter((client) => !asked.has(client))
  findings.expect(unasked.length === 0, `${name}: sessions without an acknowledgement: ${unasked.slice(0, 5).join()}`)
  for (const fault of crowd.faults) findings.expect(false, `${name}: ${fault}`)
  findings.expectInTime(crowd.late.length === 0, `${name}: ${crowd.late.length} sessions were found late`)
  await judgeEvents(findings, name, location)
  for (let engine = 0; engine < engines.count; engine++) {
    for (const client of passed) await expectVerdict(client, engine, 'allow', 'a session was lost after its 302')
    for (const client of silent) await expectVerdict(client, engine, 'warn', 'a session that nobody asked for')
  }

  async function expectVerdict(client: string, engine: number, verdict: string, fault: string): Promise<void> {
    const decision = await engines.decide(engine, 'news.example', client)
    findings.expect(decision?.verdict === verdict, `${name}: ${fault}: ${client}, ${decision?.verdict}`)
  }
}

async function readSessions(location: DatabaseLocation): Promise<string[]> {
  const rows = await readRows(location, 'select client_address from engine_session')
  return rows.map(({ client_address }) => String(client_address))
}

/** Wherever an engine was killed: each redemption has its event, and each attempt that counts. */
async function judgeEvents(findings: Findings, name: string, location: DatabaseLocation): Promise<void> {
  const refused = `e.outcome in ('code rejected', 'locked out')`
  const [found] = await readRows(
    location,
    `select (select count(*) from engine_event where outcome = 'accepted') as accepted,
       (select count(*) from engine_redemption) as redeemed,
       (select count(*) from engine_redemption r where not exists (select 1 from engine_event e
         where e.reference = r.reference and e.outcome = 'accepted')) as missing,
       (select count(*) from engine_event e where ${refused}) as refused,
       (select count(*) from engine_attempt a where a.used <> (select count(*) from engine_event e
         where 'client ' || e.client = a.holder and e.rule_name = a.rule_name and ${refused})) as differing`,
  )
  const count = (key: string) => Number(found?.[key])
  findings.figure('  events: accepted, refused', `${count('accepted')}, ${count('refused')}`)
  findings.expect(count('refused') > 0, 'no refused code was recorded: no proof')
  findings.expect(
    count('accepted') === count('redeemed') && count('missing') === 0,
    `${name}: redemptions without event`,
  )
  findings.expect(count('differing') === 0, `${name}: attempts without event, or the other way round`)
}

async function readRows(location: DatabaseLocation, statement: string): Promise<Record<string, unknown>[]> {
  if (location.dialect === 'postgres') return await queryPostgres(postgresUrl(location), statement)
  using database = new DatabaseSync(location.path, { timeout: 2_000 })
  return database.prepare(statement).all()
}

/** A third engine's state ends all sessions: both engines follow. */
async function judgeEnding(findings: Findings, engines: Engines, location: DatabaseLocation): Promise<void> {
  const client = '12.0.0.1'
  const state = await openState({
    location,
    keys: await ensureKeyFile(engines.keyFile),
    clock: Date.now,
    log: { info() {}, warn() {} },
  })
  try {
    await pass(engines, client)
    await state.endSessions({})
    const startedAt = performance.now()
    for (let engine = 0; engine < engines.count; engine++) {
      await until(async () => (await engines.decide(engine, 'news.example', client))?.verdict === 'warn', 10, 20)
    }
    const took = performance.now() - startedAt
    findings.figure('  ended sessions', `have ended in both engines after ${took.toFixed(0)} ms`)
    findings.expectInTime(took < FOLLOW_MS + 500, `an ended session held for ${took.toFixed(0)} ms`)
  } finally {
    await state.close()
  }
}

async function stopDatabase(findings: Findings, engines: Engines, postgres: PostgresServer): Promise<void> {
  const client = '12.0.0.2'
  await pass(engines, client)
  const queries: string[] = []
  for (let engine = 0; engine < engines.count; engine++) {
    queries.push((await engines.decide(engine, 'news.example', `12.0.1.${engine + 1}`))?.query ?? '')
  }
  await postgres.stop('immediate')
  for (const [engine, query] of queries.entries()) {
    const startedAt = performance.now()
    const unknown = await engines.decide(engine, 'news.example', '12.0.0.3')
    const waited = performance.now() - startedAt
    const { status, milliseconds } = await engines.acknowledge(engine, query)
    const held = await engines.decide(engine, 'news.example', client)
    findings.figure(
      `  engine ${engine + 1} without PostgreSQL`,
      `${status} after ${milliseconds.toFixed(0)} ms, a decision after ${waited.toFixed(0)} ms`,
    )
    findings.expect(status === 503, `without a database an acknowledgement got ${status}`)
    findings.expect(held?.verdict === 'allow', 'a session in memory does not hold')
    findings.expect(unknown?.verdict === 'warn', `a visitor without a session got ${unknown?.verdict}`)
    findings.expectInTime(waited < 1_000, `a decision took ${waited.toFixed(0)} ms`)
    findings.expectInTime(milliseconds < 5_000, `a 503 took ${milliseconds.toFixed(0)} ms`)
  }
  await postgres.start()
  const startedAt = performance.now()
  for (const [engine, query] of queries.entries()) {
    await until(async () => (await engines.acknowledge(engine, query)).status === 302, RECOVERY_SECONDS, 100)
  }
  const took = performance.now() - startedAt
  findings.figure('  PostgreSQL is back', `acknowledged after ${took.toFixed(0)} ms`)
  findings.expectInTime(took < 5_000, `recovery took ${took.toFixed(0)} ms`)
  findings.expect(
    (await engines.decide(0, 'news.example', client))?.verdict === 'allow',
    'a session was lost while PostgreSQL was down',
  )
}

/** Acknowledges for this client, and lets every engine read the session. */
async function pass(engines: Engines, client: string): Promise<void> {
  const issued = await engines.decide(0, 'news.example', client)
  await engines.acknowledge(0, issued?.query ?? '')
  for (let engine = 0; engine < engines.count; engine++) {
    await until(async () => (await engines.decide(engine, 'news.example', client))?.verdict === 'allow', 5, 50)
  }
}
