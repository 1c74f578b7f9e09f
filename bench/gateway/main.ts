// Measures the proxies in the namespace of `measureGateway`: `node bench/gateway/main.ts PLAN`, a JSON object. It writes the
// results of all proxies to the plan's file.
import { writeFileSync } from 'node:fs'
import { proportionalBytes } from '../../test/support/processes.ts'
import { type Contender, contender } from '../contenders.ts'
import { folderOf } from '../environment.ts'
import { warmUp } from '../measure.ts'
import { inTurn } from '../rounds.ts'
import { measureSettled, WARM_UP_REQUESTS } from '../run.ts'
import { measureChange } from './list-change.ts'
import { hostsOfLoads, LOADS, type Load, type LoadName, proxyRequests } from './loads.ts'
import type { GatewayPlan } from './measure.ts'
import { startOrigin } from './network.ts'
import { PROXIES } from './proxies.ts'
import type { Settings, StartedProxy } from './proxy.ts'
import { type ListChange, noRuns, OURS, type ProxyResult } from './result.ts'

interface Measured {
  readonly proxy: StartedProxy
  readonly loads: ReadonlyMap<LoadName, Contender>
  readonly memory: number[]
  readonly changes: ListChange[]
}

/** For peers, which compile nothing while they run: fills their caches. */
const PEER_WARM_UP_SECONDS = 0.5
const ATTEMPTS = 3

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** Names of peers that fail repeatedly. */
const failed = new Set<string>()
const plan = JSON.parse(process.argv[2] as string) as GatewayPlan
writeFileSync(plan.result, JSON.stringify(await measureProxies()))
process.exit(0)

async function measureProxies(): Promise<ProxyResult[]> {
  const { folder, cores, connections, names, rounds, changes, seconds, warmUpSeconds } = plan
  const { ofConnections } = hostsOfLoads(connections, names)
  const origin = await startOrigin(folder, cores, ofConnections)
  const settings: Settings = { folder, cores, names, hostsFile: plan.hostsFile, ...origin }
  const all: Measured[] = []
  for (const [index, kind] of PROXIES.entries()) {
    const { name } = kind
    if (!plan.proxies.includes(name)) continue
    log(`starting ${name}`)
    const proxy: StartedProxy = { name, ...(await kind.start(settings, folderOf({ folder }, `proxy-${index}`))) }
    all.push({ proxy, loads: contendersOf(proxy), memory: [], changes: [] })
  }
  const working = () => all.filter(({ proxy }) => !failed.has(proxy.name))
  const loadOn = (load: Load) => ({ connections: load.connections ?? connections, seconds, sharesCore: true })
  for (const load of LOADS) {
    log(`${load.name}: warming up`)
    for (const { proxy, loads } of working()) {
      const one = loads.get(load.name)
      const most = proxy.name === OURS ? warmUpSeconds : Math.min(warmUpSeconds, PEER_WARM_UP_SECONDS)
      if (one !== undefined) await repeat(one, () => warmUp(one, loadOn(load), WARM_UP_REQUESTS, most))
    }
  }
  for (let round = 1; round <= rounds; round++) {
    log(`round ${round} of ${rounds}`)
    for (const load of LOADS) {
      for (const { loads } of inTurn(working(), round)) {
        const one = loads.get(load.name)
        if (one === undefined) continue
        const run = await repeat(one, () => measureSettled(one, loadOn(load)))
        if (run !== undefined) one.runs.push(run)
      }
    }
    for (const { proxy, memory } of working()) memory.push(proportionalBytes(...proxy.servers.map(({ pid }) => pid)))
  }
  for (let number = 1; number <= changes; number++) {
    log(`change ${number} of ${changes} of the lists`)
    for (const { proxy, changes } of inTurn(working(), number)) {
      const change = await repeat(proxy, () => measureChange(proxy, number, folder), 1)
      if (change !== undefined) changes.push(change)
    }
  }
  return working().map(({ proxy, loads, memory, changes }) => {
    const runs = noRuns()
    for (const [name, one] of loads) runs[name].push(...one.runs)
    return { name: proxy.name, runs, memory, changes }
  })
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

function contendersOf({ name, servers, ca, list }: StartedProxy): Map<LoadName, Contender> {
  const contenders = new Map<LoadName, Contender>()
  for (const load of LOADS as readonly (Load & { name: LoadName })[]) {
    const { requests, hosts, isListed } = proxyRequests(load, load.connections ?? plan.connections, plan.names)
    if (list === undefined && isListed.includes(true)) continue
    const target = {
      statuses: isListed.map((isOne) => (isOne && list !== undefined ? list.status : 200)),
      isBoundToConnection: true,
      mayEndWithConnection: list?.endsConnection ?? false,
      ...(load.isDecrypted && { tls: { ca }, tunnels: hosts }),
    }
    contenders.set(load.name, contender(name, servers, requests, target))
  }
  return contenders
}

function log(text: string): void {
  process.stderr.write(`gateway: ${text}\n`)
}
