// Measures engines with lists: start, memory, and what a reload costs while decisions are requested at a constant rate.
import type { ChildProcess } from 'node:child_process'
import { appendFileSync, copyFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/support/free-port.ts'
import { type LoadPlan, load, type MeasuredTarget } from '../../test/support/load/load.ts'
import { forgetPeakBytes, peakBytes } from '../../test/support/processes.ts'
import { bytesAtRest, launch, type Server, serverOf, startServer } from '../../test/support/servers.ts'
import { until } from '../../test/support/until.ts'
import { type Contender, contender } from '../contenders.ts'
import type { BenchEnvironment } from '../environment.ts'
import { measure, warmUp } from '../measure.ts'
import { listedName } from './list.ts'
import { type DecisionKind, decisionBodies, decisionBytes } from './requests.ts'
import type { ListProcess, ListResult, Reload } from './result.ts'
import { createProbe, type ListEngine, type Probe } from './server.ts'

const STEADY: Omit<LoadPlan, 'seconds'> = { connections: 4, rate: 500 }
const CLOSED_LOOP: Omit<LoadPlan, 'seconds'> = { connections: 8 }
const PATIENCE_SECONDS = 30
/** Of each kind, before their CPU is measured: the code is compiled on the same core. */
const WARM_UP_REQUESTS = 20_000
const WARM_UP_SECONDS = 3
/** Of the load before the list changes. */
const LEAD_MILLISECONDS = 200

export interface ListPlan {
  readonly engine: ListEngine
  readonly starts: number
  readonly processes: number
  readonly reloads: number
  /** Length of the load during a reload. */
  readonly seconds: number
}

export async function measureLists(
  environment: BenchEnvironment,
  plans: readonly ListPlan[],
  log: (text: string) => void,
): Promise<ListResult[]> {
  const measured = plans.map((plan) => ({ plan, starts: [] as number[], processes: [] as ListProcess[] }))
  const most = (count: (plan: ListPlan) => number) => Math.max(...plans.map(count))
  // Engines alternate.
  for (let round = 0; round < most(({ starts }) => starts); round++) {
    log(`engine: start ${round + 1}`)
    for (const { plan, starts } of measured) {
      if (round < plan.starts) starts.push(await startOnce(environment, plan.engine))
    }
  }
  for (let round = 0; round < most(({ processes }) => processes); round++) {
    for (const { plan, processes } of measured) {
      if (round >= plan.processes) continue
      log(`engine: process ${round + 1}, names: ${plan.engine.names.toLocaleString('en')}`)
      processes.push(await measureProcess(environment, plan))
    }
  }
  return measured.map(({ plan: { engine }, starts, processes }) => ({
    ...{ names: engine.names, urls: engine.urls, starts, processes },
  }))
}

/** Milliseconds until a request for a name on the list is stopped. */
async function startOnce({ cores }: BenchEnvironment, engine: ListEngine): Promise<number> {
  const port = await freePort()
  const probe = createProbe(engine, port)
  const start = performance.now()
  const child = launch(engine.plan, port, cores)
  try {
    await stopped(probe, listedName(0), child)
    return performance.now() - start
  } finally {
    probe.close()
    await serverOf(child, port).stop()
  }
}

async function measureProcess({ cores }: BenchEnvironment, plan: ListPlan): Promise<ListProcess> {
  const { engine, seconds } = plan
  const server = await startServer(engine.plan, cores)
  const atStart = await bytesAtRest(server)
  const probe = createProbe(engine, server.port)
  const calls = (kind: DecisionKind) => {
    const listed = kind === 'by URL' ? engine.urls : engine.names
    const requests = decisionBodies(kind, listed).map((body) => decisionBytes(body, engine.token))
    return contender(kind, [server], requests, { tls: { servername: 'localhost', ca: engine.ca } })
  }
  const allowed = calls('allowed')
  const { target } = allowed
  try {
    await load(target, { ...CLOSED_LOOP, seconds })
    const { latency } = await load(target, { ...STEADY, seconds })
    const reloads: Reload[] = []
    while (reloads.length < plan.reloads) reloads.push(await measureReload(engine, server, target, probe, seconds))
    // Last, because the engine remembers stopped requests: they would change the memory above.
    const cpu = {
      allowed: await cpuOf(allowed, seconds),
      stopped: await cpuOf(calls('stopped'), seconds),
      byUrl: engine.urls === 0 ? undefined : await cpuOf(calls('by URL'), seconds),
    }
    return { atStart, longest: latency.max / 1000, reloads, cpu }
  } finally {
    probe.close()
    await server.stop()
  }
}

/** Microseconds for each request. */
async function cpuOf(one: Contender, seconds: number): Promise<number> {
  const plan = { ...CLOSED_LOOP, seconds }
  await warmUp(one, plan, WARM_UP_REQUESTS, WARM_UP_SECONDS)
  return (await measure(one, plan)).cpu
}

let changes = 0

/** @throws {Error} when a decision is refused, or differs, meanwhile */
async function measureReload(
  { list }: ListEngine,
  server: Server,
  target: MeasuredTarget,
  probe: Probe,
  seconds: number,
): Promise<Reload> {
  const name = `change-${changes++}.example`
  // Outside the engine's folder, which it watches.
  const next = join(dirname(dirname(list)), 'next-list.txt')
  copyFileSync(list, next)
  appendFileSync(next, `${name}\n`)
  const before = await bytesAtRest(server)
  forgetPeakBytes(server.pid)
  const change = async () => {
    await sleep(LEAD_MILLISECONDS)
    const start = performance.now()
    renameSync(next, list)
    await stopped(probe, name)
    return performance.now() - start
  }
  const [{ latency }, inForce] = await Promise.all([load(target, { ...STEADY, seconds }), change()])
  const peak = peakBytes(server.pid)
  return { inForce, longest: latency.max / 1000, before, peak, after: await bytesAtRest(server) }
}

async function stopped(probe: Probe, host: string, child?: ChildProcess): Promise<void> {
  await until(
    async () => {
      if (child !== undefined && child.exitCode !== null) throw new Error(`the engine ended with ${child.exitCode}`)
      return (await probe.verdictOn(host)) === 'block'
    },
    PATIENCE_SECONDS,
    1,
  )
}
