// Measures the proxies in the namespace of `measureGateway`: `node bench/gateway/main.ts PLAN`, a JSON object. It writes the
// results of all proxies to the plan's file.
import { writeFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { type LoadPlan, load } from '../../test/support/load/load.ts'
import { programBytes, proportionalBytes } from '../../test/support/processes.ts'
import { type Contender, contender } from '../contenders.ts'
import { folderOf } from '../environment.ts'
import { measure, warmUp } from '../measure.ts'
import { inTurn } from '../rounds.ts'
import { SETTLING_SECONDS, WARM_UP_REQUESTS } from '../run.ts'
import { ALLOWED_HOSTS, SESSION_HOST } from './hosts.ts'
import { measureChange } from './list-change.ts'
import { hostsOfLoads, LOADS, type Load, type LoadName } from './loads.ts'
import type { GatewayPlan } from './measure.ts'
import { startOrigin } from './network.ts'
import { PROXIES } from './proxies.ts'
import type { Settings, StartedProxy } from './proxy.ts'
import type { ProxyRequests } from './requests.ts'
import { EVERY_HOST_RULED, JUDGED, type ListChange, noRuns, OURS, type ProxyResult, type RoundRun } from './result.ts'
import { everyHostOnce, schoolDay, VISITS_PER_ROUND } from './school-day.ts'

interface Measured {
  readonly proxy: StartedProxy
  readonly loads: ReadonlyMap<LoadName, Contender>
  readonly memory: number[]
  readonly memoryBeyondSquid: number[]
  readonly runs: Record<LoadName, RoundRun[]>
  readonly changes: ListChange[]
}

/** For each load on an engine: together enough to compile its code. */
const WARM_UP_SECONDS = 2
/** For peers, which compile nothing while they run: fills their caches. */
const PEER_WARM_UP_SECONDS = 0.5
const ATTEMPTS = 3
const CERTIFICATES_AT_ONCE = 8
/** Between two measurements of what has no target: odd, because rounds alternate. */
const SPARSE_ROUNDS = 5

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** Names of peers that fail repeatedly. */
const failed = new Set<string>()
const plan = JSON.parse(process.argv[2] as string) as GatewayPlan
const requestsOf = new Map<string, ProxyRequests>(
  LOADS.map((load: Load) => [load.name, load.requests(load.connections ?? plan.connections, plan.names)]),
)
const everyHost = everyHostOnce(schoolDay(plan.names))
writeFileSync(plan.result, JSON.stringify(await measureProxies()))
process.exit(0)

async function measureProxies(): Promise<ProxyResult[]> {
  const { rounds, changes, visitsEveryHost, warmUpSeconds, folder } = plan
  const all = await startProxies()
  const working = () => all.filter(({ proxy }) => !failed.has(proxy.name))
  if (visitsEveryHost) {
    log('one request to each host')
    for (const { proxy } of working()) await repeat(proxy, () => visitEveryHost(proxy))
  }
  for (const load of LOADS) {
    log(`${load.name}: warming up`)
    for (const { proxy, loads } of working()) {
      const one = loads.get(load.name)
      const compiles = [OURS, EVERY_HOST_RULED].includes(proxy.name)
      const most = Math.min(warmUpSeconds, compiles ? WARM_UP_SECONDS : PEER_WARM_UP_SECONDS)
      if (one !== undefined) await repeat(one, () => warmUp(one, loadOn(load), WARM_UP_REQUESTS, most))
    }
  }
  for (let round = 1; round <= rounds; round++) {
    log(`round ${round} of ${rounds}`)
    const isSparse = round % SPARSE_ROUNDS === 1
    for (const load of LOADS as readonly (Load & { name: LoadName })[]) {
      for (const { proxy, loads, runs } of inTurn(working(), round)) {
        const one = loads.get(load.name)
        if (one === undefined || !(isSparse || (load.isJudged && JUDGED.includes(proxy.name)))) continue
        const run = await repeat(one, () => measureRun(proxy, one, load, round))
        if (run !== undefined) runs[load.name].push(run)
      }
    }
    for (const { proxy, memory, memoryBeyondSquid } of working()) {
      memory.push(proportionalBytes(...proxy.servers.map(({ pid }) => pid)))
      if (proxy.hostsAsked !== undefined) memoryBeyondSquid.push(programBytes('node', proxy.servers[0].pid))
    }
  }
  for (let number = 1; number <= changes; number++) {
    log(`change ${number} of ${changes} of the lists`)
    for (const { proxy, changes } of inTurn(working(), number)) {
      const change = await repeat(proxy, () => measureChange(proxy, number, folder), 1)
      if (change !== undefined) changes.push(change)
    }
  }
  return working().map(({ proxy: { name }, runs, memory, memoryBeyondSquid, changes }) => ({
    ...{ name, runs, memory, memoryBeyondSquid, changes },
  }))
}

async function startProxies(): Promise<Measured[]> {
  const { folder, cores, connections, names, hostsFile } = plan
  const { stopped } = hostsOfLoads(connections, names)
  const origin = await startOrigin(folder, cores, { allowed: [ALLOWED_HOSTS, SESSION_HOST], listed: stopped })
  const settings: Settings = { folder, cores, names, hostsFile, ...origin }
  const all: Measured[] = []
  for (const [index, kind] of PROXIES.entries()) {
    const { name } = kind
    if (!plan.proxies.includes(name)) continue
    log(`starting ${name}`)
    const started = all.map(({ proxy }) => proxy)
    const proxy = { name, ...(await kind.start(settings, folderOf({ folder }, `proxy-${index}`), started)) }
    all.push({ proxy, loads: contendersOf(proxy), runs: noRuns(), memory: [], memoryBeyondSquid: [], changes: [] })
  }
  return all
}

/** Afterwards it has a certificate for each. */
async function visitEveryHost(proxy: StartedProxy): Promise<void> {
  const { name, target } = contenderOf(proxy, everyHost)
  const connections = proxy.certificatesAtOnce ?? CERTIFICATES_AT_ONCE
  for (let first = 0; first < target.requests.length; ) {
    const { responses } = await load(target, { connections, seconds: 1, sharesCore: true, first })
    if (responses === 0) throw new Error(`${name} has not responded`)
    first += responses
  }
}

async function measureRun({ hostsAsked }: StartedProxy, one: Contender, load: Load, round: number): Promise<RoundRun> {
  const whole = loadOn(load)
  const startOf = (round: number) => (one.target.visits === undefined ? 0 : round * VISITS_PER_ROUND)
  // Other visits, because hosts that it has just been asked about are faster.
  const settling = { ...whole, first: startOf(round + plan.rounds) }
  await warmUp(one, settling, Infinity, Math.min(SETTLING_SECONDS, whole.seconds))
  const before = await hostsAsked?.()
  const run = await measure(one, { ...whole, first: startOf(round) })
  const after = await hostsAsked?.()
  if (before === undefined || after === undefined) return { ...run, round }
  return { ...run, round, hostsAsked: (after - before) / run.responses }
}

function loadOn(load: Load): LoadPlan {
  const connections = load.connections ?? plan.connections
  return { connections, seconds: plan.seconds * (load.length ?? 1), sharesCore: true }
}

/**
 * Repeats the run of a peer that fails, as c-icap and E2Guardian do now and then when many requests are stopped.
 * @param attempts 1 for a changed list: the second time, the name would be on it already
 * @returns undefined for a peer that does not recover, as E2Guardian after a crash: it is left out
 */
async function repeat<T>(
  { name }: Pick<Contender, 'name'>,
  run: () => Promise<T>,
  attempts = ATTEMPTS,
): Promise<T | undefined> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (name === OURS) throw error
      log((error as Error).message)
    }
  }
  failed.add(name)
  return undefined
}

function contendersOf(proxy: StartedProxy): Map<LoadName, Contender> {
  const isMeasured = ({ isForAll }: Load) => proxy.list !== undefined || isForAll === true
  return new Map(
    LOADS.filter(isMeasured).map((load) => [load.name, contenderOf(proxy, requestsOf.get(load.name) as ProxyRequests)]),
  )
}

function contenderOf({ name, servers, ca, list }: StartedProxy, all: ProxyRequests): Contender {
  const { requests, hosts, visits, isListed, isDecrypted } = all
  return contender(name, servers, requests, {
    statuses: isListed.map((isOne) => (isOne && list !== undefined ? list.status : 200)),
    isBoundToConnection: true,
    mayEndWithConnection: list?.endsConnection ?? false,
    ...(isDecrypted && {
      tls: { secureContext: createSecureContext({ ca }) },
      ...(visits ? { visits } : { tunnels: hosts }),
    }),
  })
}

function log(text: string): void {
  process.stderr.write(`gateway: ${text}\n`)
}
