// The journal while the engine is killed, its disk is full, and PostgreSQL stops and returns, all under load: decisions and
// acknowledgements as before, and every stop is a row, or counted as lost.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EngineProcess, startEngineProcess } from '../../test/support/engine-process.ts'
import { noPostgres, queryPostgres, startPostgres } from '../../test/support/postgres-server.ts'
import { until } from '../../test/support/until.ts'
import { Findings } from './findings.ts'
import { runScenario, type ScenarioOptions } from './scenario.ts'

const RULES = `
[[rules]]
name = "gambling"
match = ["casino.example"]
action = "block"
[[rules]]
name = "news"
match = ["news.example"]
action = "warn"
`
const AT_ONCE = 24
/** A flush each second, and the time that it takes. */
const LOST_BY_A_KILL_MS = 2_000
/** A decision, and an acknowledgement. */
const MOST_MS = 1_500
const DISK = '2m'

interface Journal {
  readonly queued: number
  readonly lost: number
  readonly up: boolean
}

await runScenario({
  lacks: noPostgres || (process.getuid?.() === 0 ? undefined : 'needs root, for a disk of its own'),
  async run(options) {
    const findings = new Findings()
    await killed(findings, options)
    await fullDisk(findings, options)
    await databaseAway(findings, options)
    return findings
  },
})

async function startEngine({ folder, after }: ScenarioOptions, name: string, url: string): Promise<EngineProcess> {
  const own = join(folder, name)
  mkdirSync(own, { recursive: true })
  const config = join(own, 'policy.toml')
  writeFileSync(config, `[journal]\nurl = "${url}"\n${RULES}`, { mode: 0o600 })
  const engine = await startEngineProcess(own, { config })
  after(() => engine.stop())
  return engine
}

interface Stopped {
  readonly reference: string
  /** Milliseconds since the epoch, when its response came. */
  readonly at: number
}

interface Load {
  readonly stops: Stopped[]
  readonly faults: string[]
  longest: number
  acknowledged: number
  /** Acknowledgements that got 503: the state's disk may be busy. */
  busy: number
}

function newLoad(): Load {
  return { stops: [], faults: [], longest: 0, acknowledged: 0, busy: 0 }
}

/** Requests decisions, and acknowledges now and then, as long as it is time. Without a response it tries again. */
async function keepBrowsing(
  engine: EngineProcess,
  isTime: () => boolean,
  load = newLoad(),
  isKilled = false,
): Promise<Load> {
  let client = 0
  const browse = async () => {
    while (isTime()) {
      const number = client++
      const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
      const host = number % 50 === 0 ? 'news.example' : 'casino.example'
      try {
        const startedAt = performance.now()
        const decided = await engine.request('POST', '/api/decision', { url: `https://${host}/`, client: address })
        load.longest = Math.max(load.longest, performance.now() - startedAt)
        const { verdict, reference, redirect } = JSON.parse(decided.body)
        if (decided.status !== 200 || verdict === 'allow') load.faults.push(`${decided.status} ${verdict} for ${host}`)
        else load.stops.push({ reference, at: Date.now() })
        if (verdict === 'warn') await acknowledge(engine, load, redirect)
      } catch (error) {
        if (!isKilled) load.faults.push((error as Error).message)
        await sleep(50)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, browse))
  return load
}

async function acknowledge(engine: EngineProcess, load: Load, redirect: string): Promise<void> {
  const startedAt = performance.now()
  const { status } = await engine.request('GET', `/api/captive/ack${new URL(redirect).search}`)
  load.longest = Math.max(load.longest, performance.now() - startedAt)
  if (status === 302) load.acknowledged++
  else if (status === 503) load.busy++
  else load.faults.push(`an acknowledgement got ${status}`)
}

async function journalOf(engine: EngineProcess): Promise<Journal> {
  return JSON.parse((await engine.request('POST', '/api/admin/status', {})).body).journal
}

function judgeLoad(findings: Findings, name: string, load: Load): void {
  findings.figure(
    name,
    `${load.stops.length} stops, ${load.acknowledged} acknowledgements, the longest ${load.longest.toFixed(0)} ms`,
  )
  findings.expect(load.faults.length === 0, `${name}: ${load.faults.length} faults: ${load.faults[0]}`)
  findings.expect(load.stops.length > 200 && load.acknowledged > 3, `${name}: too few requests: no proof`)
  findings.expectInTime(load.busy === 0, `${name}: ${load.busy} acknowledgements got 503`)
  findings.expectInTime(load.longest < MOST_MS, `${name}: a response took ${load.longest.toFixed(0)} ms`)
}

/** SIGKILL loses what was stopped in the last moments, and nothing else. */
async function killed(findings: Findings, options: ScenarioOptions): Promise<void> {
  const path = join(options.folder, 'killed.db')
  const engine = await startEngine(options, 'killed', `sqlite:///${path}`)
  const kills: number[] = []
  let isOver = false
  const load = newLoad()
  const browsing = keepBrowsing(engine, () => !isOver, load, true)
  while (kills.length < (options.isShort ? 2 : 5)) {
    const before = load.stops.length
    await until(() => load.stops.length > before + 300, 60)
    await sleep(LOST_BY_A_KILL_MS)
    kills.push(Date.now())
    await engine.kill('SIGKILL')
    await engine.restart()
  }
  await until(() => load.stops.some(({ at }) => at > (kills.at(-1) ?? 0) + 1_000), 60)
  isOver = true
  await browsing
  const { stops } = load
  await engine.stop()
  const rows = referencesIn(path)
  const missing = stops.filter(({ reference }) => !rows.has(reference))
  const unexplained = missing.filter(
    ({ at }) => !kills.some((kill) => at <= kill + 200 && at > kill - LOST_BY_A_KILL_MS),
  )
  findings.figure(`${kills.length} kills`, `${stops.length} stops, ${missing.length} of them lost`)
  findings.expect(kills.length > 0 && stops.length > 200, 'too few kills or stops: no proof')
  findings.expect(unexplained.length === 0, `${unexplained.length} rows are missing that were older than a kill by 2 s`)
}

/** @throws {Error} for a row that is there twice */
function referencesIn(path: string): ReadonlySet<string> {
  using database = new DatabaseSync(path, { timeout: 2_000 })
  const rows = database.prepare('select reference from journal_stop').all()
  const references = new Set(rows.map(({ reference }) => String(reference)))
  if (references.size !== rows.length) throw new Error(`${rows.length - references.size} rows are there twice`)
  return references
}

async function fullDisk(findings: Findings, options: ScenarioOptions): Promise<void> {
  const disk = join(options.folder, 'disk')
  mkdirSync(disk)
  mount(['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', disk])
  options.after(() => spawnSync('umount', ['--lazy', disk]))
  const path = join(disk, 'journal.db')
  const engine = await startEngine(options, 'full-disk', `sqlite:///${path}`)
  let isOver = false
  const browsing = keepBrowsing(engine, () => !isOver)
  // Until it is full, and then until the queue is.
  await until(async () => !(await journalOf(engine)).up, 120, 200)
  await until(async () => (await journalOf(engine)).lost > 100, 240, 500)
  isOver = true
  const load = await browsing
  judgeLoad(findings, 'full disk', load)
  mount(['-o', 'remount,size=256m', disk])
  await settle(engine)
  const { lost } = await journalOf(engine)
  const rows = referencesIn(path).size
  findings.figure('  rows, lost', `${rows}, ${lost}`)
  findings.expect(rows + lost === load.stops.length, `${load.stops.length} stops are ${rows} rows and ${lost} lost`)
  rmSync(path, { force: true })
}

function mount(words: readonly string[]): void {
  const { status, stderr } = spawnSync('mount', words)
  if (status !== 0) throw new Error(`mount: ${stderr}`)
}

async function settle(engine: EngineProcess): Promise<void> {
  await until(
    async () => {
      const { up, queued } = await journalOf(engine)
      return up && queued === 0
    },
    60,
    200,
  )
}

async function databaseAway(findings: Findings, options: ScenarioOptions): Promise<void> {
  const server = await startPostgres({})
  options.after(() => server.remove())
  const engine = await startEngine(options, 'away', server.url)
  let isOver = false
  const browsing = keepBrowsing(engine, () => !isOver)
  await sleep(1_500)
  await server.stop('immediate')
  await until(async () => !(await journalOf(engine)).up, 20, 100)
  await sleep(options.isShort ? 1_000 : 4_000)
  await server.start()
  await sleep(500)
  isOver = true
  const load = await browsing
  judgeLoad(findings, 'PostgreSQL stops', load)
  await settle(engine)
  const { lost } = await journalOf(engine)
  const found = await queryPostgres(server.url, 'select count(*), count(distinct reference) as once from journal_stop')
  const rows = Number(found[0]?.count)
  findings.figure('  rows, lost', `${rows}, ${lost}`)
  findings.expect(rows === Number(found[0]?.once), 'a row is there twice')
  findings.expect(rows + lost === load.stops.length, `${load.stops.length} stops are ${rows} rows and ${lost} lost`)
}
