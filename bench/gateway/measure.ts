// The scenario `gateway`: proxies that decide by a list of a million names, with the shipped one among them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cores } from '../../test/support/processes.ts'
import { NAMES, QUICK_NAMES } from '../engine/result.ts'
import { type BenchEnvironment, folderOf } from '../environment.ts'
import type { Options } from '../options.ts'
import { WARM_UP_SECONDS } from '../run.ts'
import { addedNames } from './list-change.ts'
import { hostsOfLoads } from './loads.ts'
import { hostsOf, isolated, missingForNetwork } from './network.ts'
import { findProgram } from './programs.ts'
import { PROXIES } from './proxies.ts'
import { type GatewayResult, OWN, type ProxyResult } from './result.ts'

/** What the process in the namespace measures. */
export interface GatewayPlan {
  /** For temporary files. */
  readonly folder: string
  /** The file for the results. */
  readonly result: string
  readonly cores: Cores | undefined
  /** Of proxies that are installed. */
  readonly proxies: readonly string[]
  /** All hosts of requests. */
  readonly hostsFile: string
  /** On each list. */
  readonly names: number
  readonly connections: number
  readonly rounds: number
  readonly seconds: number
  /** Whether each proxy first gets a request to each host, so that it has their certificates. */
  readonly visitsEveryHost: boolean
  /** At most, for each load on the gateway. */
  readonly warmUpSeconds: number
  /** Of each list. */
  readonly changes: number
}

const PORTAL = 'portal.example'
/** A change takes as long as ten runs. */
const ROUNDS_PER_CHANGE = 4
const QUICK_SECONDS = 0.2

/** Undefined when it cannot be measured here; a note says why. */
export async function measureGateway(
  environment: Pick<BenchEnvironment, 'folder' | 'cores'>,
  { connections, rounds, seconds, peers, quick }: Options,
  note: (line: string) => void,
): Promise<GatewayResult | undefined> {
  const missing = missingForOurs()
  if (missing !== undefined) {
    note(`Skipped: the gateway. To measure it: ${missing}`)
    return undefined
  }
  const wanted = PROXIES.filter(({ name }) => peers || OWN.includes(name))
  for (const { name, packages } of wanted.filter(({ isInstalled }) => !isInstalled())) {
    note(`Skipped: ${name}. To measure it: \`apt-get install ${packages}\``)
  }
  const folder = folderOf(environment, 'gateway')
  const names = quick ? QUICK_NAMES : NAMES
  const changes = Math.ceil(rounds / ROUNDS_PER_CHANGE)
  const { allowed, stopped, ofRequests } = hostsOfLoads(connections, names)
  const always = [PORTAL, ...allowed, ...stopped, ...addedNames(changes)]
  const [hostsFile, etcHosts] = [join(folder, 'all-hosts'), join(folder, 'hosts')]
  writeFileSync(hostsFile, hostsOf(new Set([...always, ...ofRequests])))
  // Short, because a proxy that is not Squid reads it for each connection.
  writeFileSync(etcHosts, hostsOf(always))
  const plan: GatewayPlan = {
    folder,
    result: join(folder, 'result.json'),
    cores: environment.cores,
    proxies: wanted.filter(({ isInstalled }) => isInstalled()).map(({ name }) => name),
    hostsFile,
    names,
    connections,
    rounds,
    seconds: quick ? QUICK_SECONDS : seconds,
    visitsEveryHost: !quick,
    warmUpSeconds: quick ? QUICK_SECONDS : WARM_UP_SECONDS,
    changes,
  }
  await run(isolated(etcHosts, [process.execPath, 'bench/gateway/main.ts', JSON.stringify(plan)]))
  const proxies: readonly ProxyResult[] = JSON.parse(readFileSync(plan.result, 'utf8'))
  for (const name of plan.proxies.filter((planned) => proxies.every((one) => one.name !== planned))) {
    note(`Left out: ${name}, which failed under load.`)
  }
  return { names: plan.names, proxies }
}

function missingForOurs(): string | undefined {
  const missing = [
    ...(findProgram(/^squid$/) === undefined ? ['squid-openssl'] : []),
    ...(findProgram(/^nginx$/) === undefined ? ['nginx'] : []),
  ]
  return missing.length > 0 ? `\`apt-get install ${missing.join(' ')}\`` : missingForNetwork()
}

/** @throws {Error} when it fails */
async function run([program, ...words]: readonly string[]): Promise<void> {
  const child = spawn(program as string, words, { stdio: ['ignore', 'ignore', 'inherit'] })
  const kill = () => child.kill('SIGKILL')
  process.on('exit', kill)
  const [status] = await once(child, 'exit')
  process.off('exit', kill)
  if (status !== 0) throw new Error(`the gateway was not measured: status ${status}`)
}
