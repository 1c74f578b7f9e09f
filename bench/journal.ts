// `npm run check -- journal-cost`: what the journal costs an engine for each request, by ICAP, in rounds that alternate between one
// with the journal and one with `days = 0`. It compares CPU time: of the thread that decides, and of the whole process, which also
// has the writing.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { load } from '../test/support/load/load.ts'
import { type Cores, cpuSeconds, findCores, pin } from '../test/support/processes.ts'
import { type Server, startServer } from '../test/support/servers.ts'
import { type Contender, contender } from './contenders.ts'
import { decisionBodies, icapBytes } from './engine/requests.ts'
import { prepareEngine } from './engine/server.ts'
import { interval } from './format.ts'
import { warmUp } from './measure.ts'
import { type Estimate, estimateOf, LEAST_ROUNDS } from './statistics.ts'

const KINDS = ['stopped', 'allowed'] as const
type Kind = (typeof KINDS)[number]

interface Engine {
  readonly server: Server
  readonly contenders: Readonly<Record<Kind, Contender>>
}

/** Microseconds for each request. */
interface Cost {
  readonly deciding: number
  readonly process: number
}

interface Round {
  readonly without: Cost
  readonly with: Cost
}

/** New engines for each pair: two processes of the same program differ by several microseconds for as long as they live. */
const PAIRS = 6
const NAMES = 10_000
const SECONDS = 0.8
const CONNECTIONS = 8
/** Longer than it takes until all rows of a round are written. */
const SETTLE_MS = 1_500
/** Of the thread that decides, in microseconds. An allowed request may cost what the clock does not resolve. */
const MOST: Readonly<Record<Kind, number>> = { stopped: 5, allowed: 0.5 }

const HELP = `Usage: npm run check -- journal-cost [--rounds N]

Compares engines with a journal and without, in alternating rounds, and
exits with status 1 when the 95 % interval of the median difference is above
${MOST.stopped} microseconds for a stopped request, or ${MOST.allowed} for an allowed one.

  --rounds N  how often each is measured (${LEAST_ROUNDS})
  --help      this text

Example:
  npm run check -- journal-cost --rounds 6
`

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: `${LEAST_ROUNDS}` }, help: { type: 'boolean', default: false } },
})
if (values.help) process.stdout.write(HELP, () => process.exit(0))
else process.exit((await isCheap(Number(values.rounds))) ? 0 : 1)

async function isCheap(rounds: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'journal-cost-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const cores = findCores()
  if (cores !== undefined) pin(process.pid, cores.load)
  const found: Record<Kind, Round[]> = { stopped: [], allowed: [] }
  for (let pair = 0; pair < PAIRS; pair++) {
    const without = await start(folder, cores, `without-${pair}`, '[journal]\ndays = 0\n')
    const withJournal = await start(folder, cores, `with-${pair}`, '')
    for (const kind of KINDS)
      found[kind].push(...(await compare(kind, without, withJournal, Math.ceil(rounds / PAIRS))))
    await Promise.all([without.server.stop(), withJournal.server.stop()])
  }
  let isWithin = true
  for (const kind of KINDS) {
    const more = (part: keyof Cost) => estimateOf(found[kind].map((one) => one.with[part] - one.without[part]))
    const deciding = more('deciding')
    report(kind, estimateOf(found[kind].map((one) => one.without.deciding)), deciding, more('process'))
    if (deciding.low > MOST[kind]) isWithin = false
  }
  return isWithin
}

async function compare(kind: Kind, without: Engine, withJournal: Engine, rounds: number): Promise<readonly Round[]> {
  for (const engine of [without, withJournal]) {
    await warmUp(engine.contenders[kind], { connections: CONNECTIONS, seconds: 1 }, 20_000, 4)
    await sleep(SETTLE_MS)
  }
  const found: Round[] = []
  for (let round = 0; round < rounds; round++) {
    const measured = new Map<Engine, Cost>()
    // The first one may have a colder core.
    for (const engine of round % 2 === 0 ? [without, withJournal] : [withJournal, without]) {
      measured.set(engine, await measure(engine, kind))
    }
    found.push({ without: measured.get(without) as Cost, with: measured.get(withJournal) as Cost })
  }
  return found
}

async function start(folder: string, cores: Cores | undefined, name: string, rules: string): Promise<Engine> {
  const { plan, icapPort, token } = await prepareEngine({ folder, cores }, name, NAMES, { rules })
  const server = await startServer(plan, cores)
  const of = (kind: Kind) =>
    contender(
      `${kind}, ${name}`,
      [server],
      decisionBodies(kind, NAMES).map((body, index) => icapBytes(body, index, token)),
      { port: icapPort, status: kind === 'allowed' ? 204 : 200 },
    )
  return { server, contenders: { stopped: of('stopped'), allowed: of('allowed') } }
}

/** With what happens behind the decisions: until all of their rows are written. */
async function measure({ server: { pid }, contenders }: Engine, kind: Kind): Promise<Cost> {
  let before = { deciding: 0, process: 0 }
  const used = () => ({ deciding: firstThreadSeconds(pid), process: cpuSeconds(pid) })
  const { responses } = await load(contenders[kind].target, { connections: CONNECTIONS, seconds: SECONDS }, () => {
    before = used()
  })
  await sleep(SETTLE_MS)
  const after = used()
  const each = (seconds: number) => (seconds / responses) * 1e6
  return { deciding: each(after.deciding - before.deciding), process: each(after.process - before.process) }
}

/** Its first thread runs the event loop. The scheduler counts nanoseconds. */
function firstThreadSeconds(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e9
}

function report(kind: Kind, base: Estimate, deciding: Estimate, all: Estimate): void {
  const microseconds = (value: number) => `${value.toFixed(1)} µs`
  const lines = [
    `${kind}: ${interval(base, microseconds)} without the journal, by the thread that decides`,
    `  with it, in this thread:     ${interval(deciding, microseconds)} more (at most ${MOST[kind]} µs)`,
    `  with it, in the whole process: ${interval(all, microseconds)} more`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
