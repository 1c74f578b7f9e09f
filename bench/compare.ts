// `npm run check -- compare`: the portals of this checkout and of another one, in alternating pairs, with the same
// engine and the same load, on the same cores.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEngineProcess } from '../test/support/engine-process.ts'
import { findCores, pin, residentBytes } from '../test/support/processes.ts'
import { type Server, type ServerPlan, startServer } from '../test/support/servers.ts'
import { baseCheckout } from './base-checkout.ts'
import { COMPARE_USAGE, type CompareOptions, readCompareOptions } from './compare-options.ts'
import { type ComparedFigure, type ComparedLoad, compareReport } from './compare-report.ts'
import { type Contender, contender, fetchPage, startBareServer } from './contenders.ts'
import { type BenchEnvironment, planPortal, REPLAY_WINDOW_SECONDS, sealingKeyOf } from './environment.ts'
import { warmUp } from './measure.ts'
import { commit } from './record.ts'
import { acknowledgements, type BrowserRequest, forged, malformed, navigations, requestBytes } from './requests.ts'
import { inTurn } from './rounds.ts'
import { measureSettled, WARM_UP_REQUESTS, WARM_UP_SECONDS } from './run.ts'
import { issueVerdicts, now } from './scenarios.ts'
import { alternateStarts, startRequest } from './starts.ts'

interface Side {
  readonly plans: { readonly portalPlan: ServerPlan; readonly installedPlan: ServerPlan }
  readonly portal: Server
}

interface LoadScenario {
  readonly status: number
  /** The requests for one side; only acknowledgements differ by side. */
  readonly requests: () => Promise<readonly BrowserRequest[]> | readonly BrowserRequest[]
  /** Whether a bare server that opens the payload is the limit. */
  readonly hasLimit?: true
  readonly isAcknowledgement?: true
}

const CONNECTIONS = 32
const ACKNOWLEDGEMENTS = 3_000
const ACKNOWLEDGED_WARM_UP_SECONDS = 3

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

try {
  const options = readCompareOptions(process.argv.slice(2))
  if (options === undefined) process.stdout.write(COMPARE_USAGE, () => process.exit(0))
  else {
    const { text, isWorse } = await compare(options)
    process.stdout.write(text, () => process.exit(isWorse ? 1 : 0))
  }
} catch (error) {
  log((error as Error).message)
  process.exit(1)
}

async function compare(options: CompareOptions): Promise<{ readonly text: string; readonly isWorse: boolean }> {
  const { base, scenarios, rounds, seconds, output } = options
  const folder = mkdtempSync(join(tmpdir(), 'portal-compare-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const root = process.cwd()
  const baseRoot = baseCheckout(root, base, folder)
  const cores = findCores()
  if (cores !== undefined) pin(process.pid, cores.load)
  const engine = await startEngineProcess(folder)
  if (cores !== undefined) pin(engine.pid, cores.load)
  const key = sealingKeyOf(engine)
  const startSide = async (name: string, of: string): Promise<Side> => {
    const own = join(folder, name)
    mkdirSync(own)
    const plans = planPortal(own, engine, of)
    return { plans, portal: await startServer(plans.portalPlan, cores) }
  }
  const [before, after] = [await startSide('before', baseRoot), await startSide('after', root)]
  const environment: BenchEnvironment = {
    ...{ folder, cores, key, engine },
    ...after.plans,
    portal: after.portal,
    bytesAtRest: residentBytes(after.portal.pid),
  }

  const pages = (kind: 'block' | 'warn' | 'aup') => navigations(kind, now(), key)
  let clients = 0
  const issued = async (host: string) => {
    const queries = await issueVerdicts(environment, host, ACKNOWLEDGEMENTS, clients)
    clients += queries.length
    return acknowledgements(queries)
  }
  const loadScenarios: Readonly<Record<string, LoadScenario>> = {
    blocked: { status: 200, hasLimit: true, requests: () => pages('block') },
    warned: { status: 200, hasLimit: true, requests: () => pages('warn') },
    aup: { status: 200, hasLimit: true, requests: () => pages('aup') },
    malformed: { status: 403, requests: () => malformed(pages('block')) },
    forged: { status: 403, requests: () => forged(pages('block')) },
    expired: { status: 403, requests: () => navigations('block', now() - 2 * REPLAY_WINDOW_SECONDS, key) },
    relay: { status: 302, isAcknowledgement: true, requests: () => issued('news.localhost') },
    acceptance: { status: 302, isAcknowledgement: true, requests: () => issued('social.localhost') },
  }
  const loads: ComparedLoad[] = []
  for (const name of scenarios) {
    const scenario = loadScenarios[name]
    if (scenario !== undefined) loads.push(await compareLoad(name, scenario))
  }
  for (const { portal } of [before, after]) await portal.stop()
  const figures = await compareStarts()
  await engine.stop()
  if (output !== undefined) {
    writeFileSync(output, `${JSON.stringify({ base, commit: commit(), rounds, seconds, loads, figures })}\n`)
  }
  const { text, isWorse } = compareReport({ loads, figures })
  const head = `- This checkout: ${versionOf(root)}, ${commit()}; base: ${versionOf(baseRoot)}, ${base}\n- ${rounds} alternating pairs of ${seconds} s\n`
  return { text: `${head}\n${text}`, isWorse }

  async function compareLoad(name: string, scenario: LoadScenario): Promise<ComparedLoad> {
    log(`${name}: warming up`)
    const { status, isAcknowledgement = false, hasLimit = false } = scenario
    const shared = isAcknowledgement ? undefined : await scenario.requests()
    const sides = []
    for (const [side, { portal }] of Object.entries({ base: before, this: after })) {
      const requests = shared ?? (await scenario.requests())
      sides.push(contender(`${name}, ${side}`, [portal], requests.map(requestBytes), { status }))
    }
    const limits = []
    if (hasLimit && shared !== undefined) {
      const bare = await startBareServer(environment, await fetchPage(after.portal, shared[0] as BrowserRequest), true)
      limits.push(contender(`${name}, limit`, [bare], shared.map(requestBytes), { status }))
    }
    const all = [...sides, ...limits]
    const plan = { connections: isAcknowledgement ? 1 : CONNECTIONS, seconds, sharesCore: isAcknowledgement }
    const warmUpSeconds = isAcknowledgement ? ACKNOWLEDGED_WARM_UP_SECONDS : WARM_UP_SECONDS
    for (const one of all) await warmUp(one, plan, WARM_UP_REQUESTS, Math.min(warmUpSeconds, 6 * seconds))
    for (let round = 1; round <= rounds; round++) {
      if (round % 8 === 1) log(`${name}: pair ${round} of ${rounds}`)
      for (const one of inTurn(all, round)) {
        const ready = isAcknowledgement ? startingAt(one, (ACKNOWLEDGEMENTS / rounds) * (round - 1)) : one
        one.runs.push(await measureSettled(ready, plan))
      }
    }
    for (const { servers } of limits) await servers[0]?.stop()
    const [base = [], current = [], limit = []] = all.map(({ runs }) => runs)
    return { name, base, current, limit }
  }

  /** Every run starts with another request: the portal refuses a policy's verdict from its 51st acknowledgement on. */
  function startingAt(one: Contender, index: number): Contender {
    const { requests } = one.target
    const first = Math.floor(index)
    const turned = [...requests.slice(first), ...requests.slice(0, first)]
    return { ...one, target: { ...one.target, requests: turned, lengths: new Int32Array(turned.length).fill(-1) } }
  }

  async function compareStarts(): Promise<ComparedFigure[]> {
    const wanted: readonly string[] = scenarios.filter((name) => name === 'readiness' || name === 'memory')
    if (wanted.length === 0) return []
    log(wanted.join(' and '))
    const plans = { base: before.plans.installedPlan, current: after.plans.installedPlan }
    const [base, current] = await alternateStarts(environment, plans, startRequest(environment), rounds)
    if (base === undefined || current === undefined) throw new Error('nothing was started')
    const inMegabytes = (bytes: readonly number[]) => bytes.map((value) => value / 1e6)
    return [
      { name: 'readiness', unit: 'ms' as const, base: base.durations, current: current.durations },
      { name: 'memory', unit: 'MB' as const, base: inMegabytes(base.memory), current: inMegabytes(current.memory) },
    ].filter(({ name }) => wanted.includes(name))
  }
}

function versionOf(root: string): string {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version
}

function log(text: string): void {
  process.stderr.write(`${text}\n`)
}
